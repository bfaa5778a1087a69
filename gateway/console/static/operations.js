/** What concerns the whole installation, for operators: lanes, processes, what waits for a human, rejected people. */
import { addressOf } from "./address.js";
import { ask } from "./ask.js";
import { Doctor } from "./doctor.js";
import { Lag } from "./lag.js";
import { useAction, useAsked } from "./live-data.js";
import { count, Fresh, Notice, Table, Tile, Title } from "./parts.js";
import { Processes } from "./processes.js";
import { State } from "./state.js";
import { html } from "./view.js";
import { Waiting } from "./waiting.js";
import { words } from "./words.js";

const text = words.operations;
const everyMs = 2_000;
const lateSeconds = 5;

export function Operations({ session, address: [part] }) {
  const overview = useAsked("GET /console/overview", { everyMs });
  const rejected = useAsked("GET /console/rejected");
  const admit = useAction(async (row) => {
    await ask("POST /console/rejected/admit", { platform_id: row.platform_id });
    rejected.again();
  });
  return html`
    <${Title}>${text.title}<//>
    <p class="quiet">${text.hint}</p>
    <${Fresh} asked=${overview}>${(data) =>
      html`
        <section class="card" id="state">
          <h2>${text.state}</h2>
          <${State} overview=${overview} />
          <dl class="tiles">
            ${[[text.held, data.held_users], [text.setAside, data.set_aside]].map(([name, value]) =>
              html`<${Tile} key=${name} name=${name} kind=${value > 0 ? "warn" : "good"}>${count(value)}<//>`
            )}
          </dl>
        </section>
        <section class="card" id="lanes">
          <h2>${text.lanes}</h2>
          <${Table} caption=${text.lanes} rows=${data.lanes ?? []} keyOf=${(row) => row.lane}
            columns=${laneColumns} />
        </section>
      `}<//>
    <${Lag} />
    <${Processes} />
    <${Doctor} />
    <${Waiting} session=${session} isMeant=${part === "waiting"} />
    <section class="card" id="rejected"><h2>${text.rejected}</h2>
      <${Notice} error=${admit.error} />${admit.done && html`<${Notice} kind="good">${text.admitted}<//>`}
      <${Fresh} asked=${rejected}>${({ users }) =>
        html`
          <${Table} hint=${text.rejectedHint} empty=${text.noRejected} rows=${users}
            keyOf=${(row) => row.platform_id} columns=${rejectedColumns(admit)} />
        `}<//></section>
  `;
}

const laneColumns = [
  [text.lane, (row) => html`<code>${row.lane}</code>`],
  [text.records, (row) => count(row.records)],
  [
    text.oldest,
    (row) => html`<span class=${row.seconds >= lateSeconds ? "state bad" : "state good"}>${words.seconds(Math.round(row.seconds))}</span>`,
  ],
];

function rejectedColumns(admit) {
  return [
    [text.person, (row) => html`<a href=${addressOf("people", row.platform_id)}>${row.external_id ?? row.platform_id}</a>`],
    [text.counted, (row) => row.counted],
    [text.has, (row) => count(row.count)],
    [text.may, (row) => count(row.max)],
    ["", (row) => html`<button type="button" onClick=${() => admit.run(row)}>${text.admit}</button>`],
  ];
}
