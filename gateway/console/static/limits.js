/** How much of each limit of the workspace is used: now, and over a day, a week or a year. */
import { Chart } from "./chart.js";
import { useAsked } from "./live-data.js";
import { count, Fresh, Table, Title } from "./parts.js";
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
      <${Fresh} asked=${asked}>${(data) =>
        html`
          <div class="charts">${[["requests", text.overTime], ["limited", text.limited, text.noneLimited]].map(([metric, title, empty]) =>
            html`
              <${Chart} key=${metric} id=${`chart-${metric}`} title=${title} empty=${empty}
                series=${data.series.filter((one) => one.metric === metric)} from=${data.from} to=${data.to} step=${data.step_seconds} />
            `
          )}</div>
        `}<//>
    </section>
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

function lasting(seconds) {
  if (seconds >= 86_400) return words.days(seconds / 86_400);
  if (seconds >= 3_600) return words.hours(seconds / 3_600);
  return seconds >= 60 ? words.minutes(seconds / 60) : words.seconds(seconds);
}
