/** How much of each limit of the workspace is used: now, and over a day, a week or a year. */
import { useKept } from "./address.js";
import { Chart } from "./chart.js";
import { useAsked } from "./live-data.js";
import { count, Fresh, lasting, Table, Title } from "./parts.js";
import { Ranges, useRange } from "./ranges.js";
import { html } from "./view.js";
import { words } from "./words.js";

const text = words.limits;
const nowEveryMs = 5_000;
const everyMs = 15_000;

export function Limits() {
  const overview = useAsked("GET /console/overview", { everyMs: nowEveryMs });
  const [range, choose] = useRange();
  const asked = useAsked(`GET /console/requests?range=${range}`, { everyMs });
  const [chosen, chooseLimit] = useKept("limit", "");
  return html`
    <${Title}>${text.title}<//>
    <section class="card" id="limits">
      <${Fresh} asked=${overview}>${({ limits }) =>
        html`
          <${Table} hint=${text.hint} rows=${byUse(limits)}
            keyOf=${(row) => row.name} columns=${columns} />
        `}<//></section>
    <section class="card" id="limits-over-time">
      <h2>${text.overTime}</h2>
      <${Ranges} range=${range} choose=${choose} />
      <p><label for="limit">${text.which}</label> <select id="limit" value=${chosen} onChange=${(event) => chooseLimit(event.target.value)}>
        <option value="">${text.all}</option>
        ${[...new Set(overview.data?.limits.map(({ limit }) => limit))].map((name) => html`<option value=${name}>${name}</option>`)}
      </select></p>
      <${Fresh} asked=${asked}>${(data) => html`<${OverTime} data=${data} chosen=${chosen} limits=${overview.data?.limits ?? []} />`}<//>
    </section>
  `;
}

/** All limits, or one beside what it allows. */
function OverTime({ data: { series, from, to, step_seconds: step }, chosen, limits }) {
  function shown(metric) {
    return series.filter((one) => one.metric === metric && (chosen === "" || one.name === chosen));
  }
  // A limit of a second bounds what the one of an hour does not, and says little of an hour
  const widest = limits.filter(({ limit }) => limit === chosen).toSorted((a, b) => b.window_seconds - a.window_seconds)[0];
  const allowed = widest && { perStep: (widest.capacity * step) / widest.window_seconds, named: text.allowed };
  return html`
    ${widest && html`<p>${text.allows(count(widest.capacity), lasting(widest.window_seconds))}</p>`}
    <div class="charts">${[["requests", text.overTime], ["limited", text.limited, text.noneLimited]].map(([metric, title, empty]) =>
      html`
        <${Chart} key=${metric} id=${`chart-${metric}`} title=${title} empty=${empty} series=${shown(metric)} from=${from} to=${to}
          step=${step} allowed=${metric === "requests" ? allowed : undefined} />
      `
    )}</div>
  `;
}

function byUse(limits) {
  const used = limits.map((limit) => ({ ...limit, used: limit.capacity - limit.remaining }));
  return used.toSorted((a, b) => b.used / b.capacity - a.used / a.capacity || a.name.localeCompare(b.name));
}

const columns = [
  [text.limit, (row) => html`<code>${row.name}</code>`],
  [
    text.use,
    (row) => html`<meter min="0" max=${row.capacity} high=${row.capacity * 0.8} value=${row.used} aria-label=${row.name}></meter>`,
  ],
  [text.amount, (row) => text.used(count(row.used), count(row.capacity), lasting(row.window_seconds))],
];
