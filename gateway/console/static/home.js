/** What is happening in the workspace: throughput, routes, what was refused; and the way to a person. */
import { Happening } from "./happening.js";
import { useAsked } from "./live-data.js";
import { count, Fresh, Table, Time, Title } from "./parts.js";
import { Finder } from "./people.js";
import { State } from "./state.js";
import { html } from "./view.js";
import { words } from "./words.js";

const text = words.home;
const everyMs = 2_000;

export function Home() {
  const overview = useAsked("GET /console/overview", { everyMs });
  return html`
    <${Title}>${words.views.home}<//>
    <section class="card" aria-label=${text.find}>
      <${Finder} />
    </section>
    <${Fresh} asked=${overview}>${() =>
      html`
        <section class="card" id="state">
          <${State} overview=${overview} />
        </section>
      `}<//>
    <${Happening} />
    ${overview.data && html`
      <div class=${overview.error ? "stale" : ""}>
        <${Gateway} ...${overview.data} />
      </div>
    `}
  `;
}

/** What the gateway that answers knows by itself. */
function Gateway(data) {
  return html`
    <section class="card">
      <h2>${text.perSecond}</h2>
      <${Seconds} seconds=${data.seconds} />
    </section>
    <section class="card">
      <h2>${text.routes}</h2>
      <div id="routes">
        <${Table} hint=${text.ofGateway} empty=${text.noRoutes} rows=${data.routes}
          keyOf=${(row) => `${row.method} ${row.route}`} columns=${routeColumns} />
      </div>
    </section>
    <section class="card">
      <h2>${text.errors}</h2>
      <div id="errors">
        <${Table} hint=${text.ofGateway} empty=${text.noErrors} rows=${data.errors}
          columns=${errorColumns} />
      </div>
    </section>
  `;
}

const routeColumns = [
  [text.route, (row) => html`<code>${row.method} ${row.route}</code>`],
  [text.requests, (row) => count(row.requests)],
  [text.refused, (row) => count(row.refused)],
  [text.mean, (row) => `${row.mean_ms} ms`],
];

const errorColumns = [
  [text.time, (row) => html`<${Time} at=${row.time} />`],
  [text.route, (row) => html`<code>${row.method} ${row.route}</code>`],
  [text.answer, (row) => `${row.status} ${row.reason}`],
  [text.request, (row) => html`<code>${row.request_id}</code>`],
];

const chart = { width: 600, height: 80 };

function Seconds({ seconds }) {
  const most = Math.max(1, ...seconds.map(({ requests }) => requests));
  const width = chart.width / seconds.length;
  function bar(className, amount, at) {
    const height = (amount / most) * chart.height;
    return html`<rect class=${className} x=${at * width} y=${chart.height - height} width=${width * 0.8} height=${height} />`;
  }
  const total = seconds.reduce((sum, { requests }) => sum + requests, 0);
  const told = text.counts(count(seconds.at(-1)?.requests), count(total), count(most));
  return html`
    <figure id="throughput">
      <svg viewBox=${`0 0 ${chart.width} ${chart.height}`} preserveAspectRatio="none" role="img" aria-label=${told}>
          ${seconds.map(({ requests }, at) => bar("all", requests, at))}${seconds.map(({ refused }, at) =>
            bar("refused", refused, at)
          )}</svg>
      <figcaption><span class="key all">${text.requests}</span> <span class="key refused">${text.refused}</span> ${told}</figcaption>
      <details>
        <summary>${text.asTable}</summary>
        <${Table} caption=${text.perSecond} rows=${seconds.toReversed()} columns=${secondColumns} />
      </details>
    </figure>
  `;
}

const secondColumns = [
  [text.second, (row) => html`<${Time} at=${row.second * 1_000} />`],
  [text.requests, (row) => count(row.requests)],
  [text.refused, (row) => count(row.refused)],
];
