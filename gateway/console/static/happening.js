/** What is happening in the workspace: charts of what was counted, over a day, a week or a year. */
import { Chart } from "./chart.js";
import { useAsked } from "./live-data.js";
import { Fresh } from "./parts.js";
import { html, useState } from "./view.js";
import { words } from "./words.js";

const text = words.happening;
const everyMs = 10_000;

export function Happening() {
  const [range, setRange] = useState(remembered);
  const asked = useAsked(`GET /console/series?range=${range}`, { everyMs });
  function choose(next) {
    sessionStorage.setItem(storedAs, next);
    setRange(next);
  }
  return html`
    <section class="card" id="happening">
      <h2>${text.title}</h2>
      <div class="ranges" role="group" aria-label=${text.range}>${Object.entries(text.ranges).map(([name, label]) =>
        html`<button type="button" key=${name} aria-pressed=${name === range} onClick=${() => choose(name)}>${label}</button>`
      )}</div>
      <p class="quiet">${text.hint}</p>
      <${Fresh} asked=${asked}>${(data) =>
        html`<div class="charts">${
          Object.entries(text.metrics).map(([metric, title]) =>
            html`
              <${Chart} key=${metric} id=${`chart-${metric}`} title=${title}
                series=${seriesOf(data, metric)} from=${data.from} to=${data.to} step=${data.step_seconds}
                decimals=${metric === "revenue" ? 2 : 0} />
            `
          )
        }</div>`}<//>
    </section>
  `;
}

const storedAs = "heddle.range";

function remembered() {
  const range = sessionStorage.getItem(storedAs);
  return range in text.ranges ? range : "day";
}

function seriesOf({ series }, metric) {
  return series.filter((one) => one.metric === metric).map((one) => ({ ...one, name: nameOf(one) }));
}

function nameOf({ metric, name }) {
  if (name === undefined) return metric === "events" ? text.otherEvents : text.metrics[metric];
  return text.names[metric]?.[name] ?? name.replaceAll("_", metric === "consent" ? " " : "_");
}
