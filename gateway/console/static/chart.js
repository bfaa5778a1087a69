/** A chart of series over time: stacked bars with axes, a legend that hides, values under the pointer or the arrow keys, and the same as a table and as CSV. */
import { count, Empty, saveFile, Table, Time } from "./parts.js";
import { html, useRef, useState } from "./view.js";
import { words } from "./words.js";

const text = words.chart;
// With room for the larger letters of narrow screens
const size = { width: 720, height: 236, left: 56, right: 8, top: 20, bottom: 34 };
const plot = { width: size.width - size.left - size.right, height: size.height - size.top - size.bottom };
const base = size.top + plot.height;
/** As many colors as the style has. */
const colors = 8;
/** Narrower bars are no bars. */
const barsMax = 180;

/**
 * `series`: `[{ name, total, points: [[unix seconds, number]] }]`; `from`, `to` (ISO 8601) and `step` (seconds) say which points there could
 * be. Those beyond `colors` are shown together. `beside`: they are no parts of a whole, as how long lanes wait: none is added to another, and of
 * several times in one bar the highest counts, as in `total`. `allowed`: `{ perStep, named }`, a line at what there may be in a step.
 */
export function Chart({ id, title, series, from, to, step, decimals = 0, beside = false, empty = text.empty, allowed }) {
  const [hidden, setHidden] = useState([]);
  const [at, setAt] = useState();
  const add = beside ? Math.max : sum;
  const all = withOthers(series, add);
  if (all.length === 0) {
    return html`
      <${Figure} id=${id} title=${title}>
        <${Empty}>${empty}<//><//>
    `;
  }
  const bars = barsOf(all.map((one) => (hidden.includes(one.name) ? { ...one, points: [] } : one)), { from, to, step, add });
  const looked = at === undefined ? undefined : bars[Math.min(at, bars.length - 1)];
  function toggle(name) {
    setHidden(hidden.includes(name) ? hidden.filter((other) => other !== name) : [...hidden, name]);
  }
  return html`
    <${Figure} id=${id} title=${title}>
      <${Plot} bars=${bars} beside=${beside} at=${at} setAt=${setAt} step=${step} label=${summary(title, all, decimals)}
        allowed=${allowed} />
      <p class="looked" role="status">${looked ? html`<${Looked} bar=${looked} series=${all} decimals=${decimals} />` : text.hint}</p>
      <ul class="legend">${all.map((one, place) =>
        html`
          <li key=${one.name}>
            <button type="button" aria-pressed=${!hidden.includes(one.name)} onClick=${() => toggle(one.name)}>
              <svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" class=${`series-${place}`} /></svg>
              ${one.name} <b>${amount(one.total, decimals)}</b>
            </button>
          </li>
        `
      )}</ul>
      <${Listed} title=${title} series=${series} id=${id} decimals=${decimals} />
      <//>
  `;
}

function Figure({ id, title, children }) {
  return html`<figure class="chart" id=${id}><figcaption>${title}</figcaption>${children}</figure>`;
}

function sum(one, other) {
  return one + other;
}

function withOthers(series, add) {
  const most = series.toSorted((a, b) => b.total - a.total);
  if (most.length <= colors) return most;
  const rest = most.slice(colors - 1);
  const points = rest.flatMap((one) => one.points);
  const total = rest.reduce((before, one) => add(before, one.total), 0);
  return [...most.slice(0, colors - 1), { name: text.others(rest.length), total, points }];
}

/** Every time that there could be, several in one bar where they would be too narrow. */
function barsOf(series, { from, to, step, add }) {
  const start = Date.parse(from) / 1_000;
  const steps = Math.round((Date.parse(to) / 1_000 - start) / step);
  const each = Math.ceil(steps / barsMax);
  const bars = Array.from({ length: Math.ceil(steps / each) }, (_, bar) => {
    return { time: start + bar * each * step, values: series.map(() => 0), sum: 0 };
  });
  for (const [place, { points }] of series.entries()) {
    for (const [time, value] of points) {
      const bar = bars[Math.floor((time - start) / (step * each))];
      if (bar === undefined) continue;
      bar.values[place] = add(bar.values[place], value);
      bar.sum = add(bar.sum, value);
    }
  }
  return bars;
}

function Plot({ bars, beside, at, setAt, step, label, allowed }) {
  const svg = useRef();
  const most = Math.max(...bars.map(({ sum }) => sum));
  const line = allowed && lineOf(allowed, bars, step);
  const isInReach = line !== undefined && line <= most * reach;
  const top = niceTop(isInReach ? Math.max(most, line) : most);
  const width = plot.width / bars.length;
  function look(event) {
    const box = svg.current.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * size.width - size.left;
    setAt(within(Math.floor(x / width), bars));
  }
  function move(event) {
    if (event.key === "Escape") setAt(undefined);
    const moves = { ArrowLeft: (at ?? bars.length) - 1, ArrowRight: (at ?? -1) + 1, Home: 0, End: bars.length - 1 };
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    setAt(within(moves[event.key], bars));
  }
  return html`
    <svg ref=${svg} viewBox=${`0 0 ${size.width} ${size.height}`} role="img" aria-label=${label} tabindex="0"
      onPointerMove=${look} onPointerDown=${look} onPointerLeave=${() => setAt(undefined)} onKeyDown=${move}>
      ${[0, 0.5, 1].map((part) => html`<${Height} key=${part} part=${part} top=${top} />`)}
      ${at !== undefined && html`<rect class="here" x=${size.left + at * width} y=${size.top} width=${width} height=${plot.height} />`}
      ${bars.map((bar, place) =>
        html`<${Bar} key=${bar.time} bar=${bar} x=${size.left + place * width} width=${width * 0.86} top=${top} beside=${beside} />`
      )}
      ${isInReach && html`<${AllowedLine} y=${base - (line / top) * plot.height} named=${allowed.named} />`}
      ${ticksOf(bars).map((place) =>
        html`<text key=${place} class="axis" x=${size.left + (place + 0.5) * width} y=${size.height - 8} text-anchor="middle">${
          tickText(bars[place].time, step)
        }</text>`
      )}
    </svg>
  `;
}

/** A line further above the highest bar would leave nothing of the bars. */
const reach = 4;

/** A bar may stand for several steps. */
function lineOf({ perStep }, bars, step) {
  return bars.length < 2 ? perStep : (perStep * (bars[1].time - bars[0].time)) / step;
}

function AllowedLine({ y, named }) {
  return html`
    <line class="allowed" x1=${size.left} x2=${size.width - size.right} y1=${y} y2=${y} />
    <text class="axis" x=${size.width - size.right} y=${y - 4} text-anchor="end">${named}</text>
  `;
}

function within(place, bars) {
  return Math.max(0, Math.min(bars.length - 1, place));
}

/** A line of the axis, and what it stands for. */
function Height({ part, top }) {
  const y = base - part * plot.height;
  return html`
    <line class="grid" x1=${size.left} x2=${size.width - size.right} y1=${y} y2=${y} />
    <text class="axis" x=${size.left - 6} y=${y + 4} text-anchor="end">${short.format(top * part)}</text>
  `;
}

/** Beside each other the highest is behind. */
function Bar({ bar, x, width, top, beside }) {
  let y = base;
  const values = bar.values.map((value, place) => [value, place]);
  return (beside ? values.toSorted(([one], [other]) => other - one) : values).map(([value, place]) => {
    if (value <= 0) return null;
    const height = (value / top) * plot.height;
    y = (beside ? base : y) - height;
    return html`<rect key=${place} class=${`series-${place}`} x=${x} y=${y} width=${width} height=${height} />`;
  });
}

function Looked({ bar, series, decimals }) {
  const some = series.map(({ name }, place) => [name, bar.values[place]]).filter(([, value]) => value !== 0);
  return html`<${Time} at=${bar.time * 1_000} />: ${
    some.length === 0
      ? text.nothing
      : some.map(([name, value]) => html`<span key=${name}>${name} <b>${amount(value, decimals)}</b> </span>`)
  }`;
}

/** Round, and so is its half. */
function niceTop(most) {
  if (most <= 2) return 2;
  const unit = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 5, 10].map((times) => times * unit).find((top) => top >= most);
}

function ticksOf(bars) {
  return [0.06, 0.35, 0.64, 0.92].map((part) => Math.floor(part * bars.length));
}

const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const ofDay = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const ofWeek = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit" });
// Days are those of UTC
const ofYear = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" });

function tickText(time, step) {
  const format = step < 3_600 ? ofDay : step < 86_400 ? ofWeek : ofYear;
  return format.format(time * 1_000);
}

function amount(value, decimals) {
  return decimals === 0
    ? count(value)
    : value.toLocaleString(undefined, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

function summary(title, series, decimals) {
  return `${title}: ${series.map(({ name, total }) => `${name} ${amount(total, decimals)}`).join(", ")}. ${text.hint}`;
}

function Listed({ title, series, id, decimals }) {
  const rows = rowsOf(series);
  const columns = series.map(({ name }, place) => [name, (row) => amount(row.values[place], decimals)]);
  function save() {
    saveFile(`${id}.csv`, "text/csv", csvOf(series, rows));
  }
  return html`
    <details>
      <summary>${text.asTable}</summary>
      <p><button type="button" onClick=${save}>${text.csv}</button></p>
      <div class="wide-table" tabindex="0" role="group" aria-label=${title}>
        <${Table} caption=${title} rows=${rows.toReversed()} keyOf=${({ time }) => time}
          columns=${[[text.time, ({ time }) => html`<${Time} at=${time * 1_000} />`], ...columns]} />
      </div>
    </details>
  `;
}

/** Only times of which there is something. */
function rowsOf(series) {
  const rows = new Map();
  for (const [place, { points }] of series.entries()) {
    for (const [time, value] of points) {
      const row = rows.get(time) ?? { time, values: series.map(() => 0) };
      row.values[place] = value;
      rows.set(time, row);
    }
  }
  return [...rows.values()].sort((a, b) => a.time - b.time);
}

function csvOf(series, rows) {
  const head = [text.time, ...series.map(({ name }) => name)];
  const lines = rows.map(({ time, values }) => [new Date(time * 1_000).toISOString(), ...values]);
  return [head, ...lines].map((line) => line.map(cell).join(",")).join("\r\n");
}

/** Names are chosen by clients: none may be a formula of a spreadsheet. */
function cell(value) {
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}
