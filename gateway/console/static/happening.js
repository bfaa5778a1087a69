/** What is happening in the workspace: charts of what was counted and of what was refused, over a day, a week or a year. */
import { Chart } from "./chart.js";
import { useAsked } from "./live-data.js";
import { Empty, Fresh } from "./parts.js";
import { Total } from "./people.js";
import { Ranges, useRange } from "./ranges.js";
import { html } from "./view.js";
import { words } from "./words.js";

const text = words.happening;
const everyMs = 10_000;

export function Happening() {
  const [range, choose] = useRange();
  const asked = useAsked(`GET /console/series?range=${range}`, { everyMs });
  const answered = useAsked(`GET /console/requests?range=${range}`, { everyMs });
  return html`
    <section class="card" id="happening">
      <h2>${text.title}</h2>
      <${Ranges} range=${range} choose=${choose} />
      <p class="quiet">${text.hint}</p>
      <${Fresh} asked=${asked}>${(data) =>
        isNew(data) ? html`<${Empty}>${text.new} <a href="/">${text.steps}</a><//>` : html`<${Counted} data=${data} />`}<//>
      <${Fresh} asked=${answered}>${(data) =>
        html`
          <div class="charts">
            <${Chart} id="chart-refused" title=${text.refused} empty=${text.noneRefused}
              series=${data.series.filter(({ metric }) => metric === "refused")}
              from=${data.from} to=${data.to} step=${data.step_seconds} />
          </div>
        `}<//>
    </section>
  `;
}

/** Nobody ever came, and nothing else did. */
function isNew({ users, series }) {
  return users === undefined && series.length === 0;
}

function Counted({ data }) {
  return html`
    <${Total} users=${data.users} />
    <div class="charts">${Object.keys(text.metrics).flatMap((metric) => chartsOf(data, metric)).map((chart) =>
      html`<${Chart} key=${chart.id} ...${chart} from=${data.from} to=${data.to} step=${data.step_seconds} />`
    )}</div>
  `;
}

function chartsOf(data, metric) {
  const series = seriesOf(data, metric);
  const chart = { id: `chart-${metric}`, title: text.metrics[metric], series };
  if (metric !== "revenue" || series.length === 0) return [chart];
  // Amounts of different currencies have no sum
  return series.map((one) => ({ id: `${chart.id}-${one.name}`, title: text.revenueIn(one.name), series: [one], decimals: 2 }));
}

function seriesOf({ series }, metric) {
  return series.filter((one) => one.metric === metric).map((one) => ({ ...one, name: nameOf(one) }));
}

function nameOf({ metric, name }) {
  if (name === undefined) return metric === "events" ? text.otherEvents : text.metrics[metric];
  return text.names[metric]?.[name] ?? name.replaceAll("_", metric === "consent" ? " " : "_");
}
