/** How far lanes were behind in the last hours: records, and for how long the oldest of them waited. */
import { Chart } from "./chart.js";
import { useAsked } from "./live-data.js";
import { Fresh, Notice } from "./parts.js";
import { html, useRef } from "./view.js";
import { words } from "./words.js";

const text = words.lag;
const everyMs = 15_000;
const hours = 3;

export function Lag() {
  const asked = useAsked("GET /console/lag", { everyMs });
  const seen = useRef(new Map());
  return html`
    <section class="card" id="lag">
      <h2>${text.title}</h2>
      <p class="quiet">${text.hint}</p>
      <${Fresh} asked=${asked}>${(data) =>
        html`
          ${data.away.length > 0 && html`<${Notice}>${text.away(data.away.join(", "))}<//>`}
          <${Charts} lanes=${joined(seen.current, data, asked.at / 1_000 - hours * 3_600)} step=${data.step_seconds} at=${asked.at} />
        `}<//></section>
  `;
}

function Charts({ lanes, step, at }) {
  const to = Math.floor(at / 1_000 / step) * step + step;
  const range = { from: iso(to - hours * 3_600), to: iso(to), step };
  return html`<div class="charts">${
    [["records", 1, 0], ["seconds", 2, 1]].map(([name, place, decimals]) =>
      html`
        <${Chart} key=${name} id=${`chart-lag-${name}`} title=${text[name]} series=${seriesOf(lanes, place)} ...${range}
          decimals=${decimals} beside />
      `
    )
  }</div>`;
}

/**
 * In the mesh each answer is of one process, which may have started later than another: what was seen of either is kept, the worst of it,
 * and what is older than `from`, in seconds, is forgotten.
 */
function joined(seen, { lanes }, from) {
  for (const { lane, samples } of lanes) {
    const known = seen.get(lane) ?? new Map();
    for (const [time, records, seconds] of samples) {
      const [, before, waited] = known.get(time) ?? [time, 0, 0];
      known.set(time, [time, Math.max(before, records), Math.max(waited, seconds)]);
    }
    seen.set(lane, known);
  }
  for (const [lane, samples] of seen) {
    for (const time of samples.keys()) if (time < from) samples.delete(time);
    if (samples.size === 0) seen.delete(lane);
  }
  return seen;
}

function seriesOf(lanes, place) {
  return Array.from(lanes, ([name, samples]) => {
    const points = Array.from(samples.values(), (sample) => [sample[0], sample[place]]);
    return { name, points, total: Math.max(0, ...points.map(([, value]) => value)) };
  });
}

function iso(seconds) {
  return new Date(seconds * 1_000).toISOString();
}
