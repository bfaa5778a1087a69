/** The audit log: what was done at the console, and by whose key. */
import { useAsked } from "./live-data.js";
import { Empty, Fresh, Table, Time, Title } from "./parts.js";
import { html } from "./view.js";
import { words } from "./words.js";

const text = words.actions;

export function Actions() {
  const asked = useAsked("GET /console/actions");
  return html`
    <${Title}>${text.title}<//>
    <section class="card" id="actions">
      <${Fresh} asked=${asked}>${({ actions }) =>
        actions.length === 0
          ? html`<${Empty}>${text.none}<//>`
          : html`<${Table} hint=${text.hint} rows=${actions} columns=${columns} />`}<//></section>
  `;
}

const columns = [
  [text.time, (row) => html`<${Time} at=${row.time} />`],
  [text.key, (row) => html`${row.key.name} <code>${row.key.id}</code>`],
  [text.what, (row) => html`<code>${row.method} ${row.route}</code>`],
  [text.outcome, (row) => `${row.status}${row.reason ? ` ${row.reason}` : ""}`],
  [text.request, (row) => html`<code>${row.request_id}</code>`],
];
