/** In what the workspace differs from the file that was applied last. */
import { useAsked } from "./live-data.js";
import { Copy, Empty, Fresh, Table, Time, Title } from "./parts.js";
import { html } from "./view.js";
import { words } from "./words.js";

const text = words.declaration;

export function Declaration() {
  const asked = useAsked("GET /console/declaration");
  return html`
    <${Title}>${text.title}<//>
    <section class="card" id="declaration"><${Fresh} asked=${asked}>${(data) =>
      data.state !== "compared" ? html`<${Empty}>${text.states[data.state]}<//>` : html`
        <p>${text.applied} <${Time} at=${data.applied_at} /></p>
        <${Table} hint=${text.hint} empty=${text.same} rows=${data.differences} columns=${columns} />
      `}<//></section>
  `;
}

const columns = [
  [text.difference, (row) => html`<span class="state bad">${text.differences[row.difference]}</span>`],
  [text.what, (row) => row.what],
  [text.name, (row) => row.path],
  [text.id, (row) => row.id && html`<${Copy} text=${row.id} what=${text.id} />`],
  [text.fields, (row) =>
    row.fields?.map(({ field, here, declared }) =>
      html`
        <div><code>${field}</code>: ${text.here} <code>${JSON.stringify(here)}</code>, ${text.declared} <code>${JSON.stringify(
          declared,
        )}</code></div>
      `
    )],
];
