/** Which processes of the installation run; one that should have been heard of is dimmed and dated. */
import { useAsked } from "./live-data.js";
import { Fresh, Table, Time } from "./parts.js";
import { html } from "./view.js";
import { words } from "./words.js";

const text = words.processes;
const everyMs = 10_000;

export function Processes() {
  const asked = useAsked("GET /console/processes", { everyMs });
  return html`
    <section class="card" id="processes">
      <h2>${text.title}</h2>
      <${Fresh} asked=${asked}>${({ processes }) =>
        html`
          ${versionsOf(processes).length > 1 && html`<p class="state warn">${text.versions(versionsOf(processes).join(", "))}</p>`}
          <${Table} hint=${text.hint} rows=${processes} keyOf=${({ id }) => id} columns=${columns}
            kindOf=${({ late }) => (late ? "stale" : undefined)} />
        `}<//></section>
  `;
}

/** Of those that are there: while one build takes the place of another there are two. */
function versionsOf(processes) {
  return [...new Set(processes.filter(({ late }) => !late).map(({ version }) => version))];
}

const columns = [
  [text.part, ({ part }) => html`<code>${part}</code>`],
  [text.state, ({ late }) => html`<span class=${`state ${late ? "bad" : "good"}`}>${late ? text.late : text.heard}</span>`],
  [text.host, ({ host }) => host],
  [text.version, ({ version }) => version],
  [text.runtime, ({ runtime }) => runtime],
  [text.since, (row) => html`<${Time} at=${row.started_at} />`],
  [text.last, (row) => html`<${Time} at=${row.heard_at} />`],
];
