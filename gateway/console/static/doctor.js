/** What the process that answers finds wrong with itself and its servers, as heddle doctor says it. */
import { useAsked } from "./live-data.js";
import { Fresh, Table, Time } from "./parts.js";
import { html } from "./view.js";
import { words } from "./words.js";

const text = words.doctor;

export function Doctor() {
  const asked = useAsked("GET /console/doctor");
  return html`
    <section class="card" id="doctor">
      <h2>${text.title}</h2>
      <p class="quiet">${text.hint}</p>
      <${Fresh} asked=${asked}>${(data) =>
        html`
          <p class="row"><button type="button" onClick=${asked.again}>${text.again}</button> <span class="quiet">${text.at} <${Time}
            at=${data.examined_at} /></span></p>
          <${Table} caption=${text.title} rows=${data.findings} keyOf=${({ check }) => check} columns=${columns} />
        `}<//></section>
  `;
}

const kinds = { ok: "good", warn: "warn", fail: "bad" };

const columns = [
  [text.check, ({ check }) => check],
  [text.level, ({ level }) => html`<span class=${`state ${kinds[level]}`}>${text.levels[level]}</span>`],
  [text.found, (row) => row.text],
];
