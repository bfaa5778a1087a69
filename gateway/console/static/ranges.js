/** A day, a week or a year: what charts show, by buttons, and kept while the page is open. */
import { html, useState } from "./view.js";
import { words } from "./words.js";

const text = words.ranges;
const storedAs = "heddle.range";

/** `[range, choose]` */
export function useRange() {
  const [range, setRange] = useState(remembered);
  function choose(next) {
    sessionStorage.setItem(storedAs, next);
    setRange(next);
  }
  return [range, choose];
}

export function Ranges({ range, choose }) {
  return html`
    <div class="ranges" role="group" aria-label=${text.title}>${Object.entries(text.names).map(([name, label]) =>
      html`<button type="button" key=${name} aria-pressed=${name === range} onClick=${() => choose(name)}>${label}</button>`
    )}</div>
  `;
}

function remembered() {
  const range = sessionStorage.getItem(storedAs);
  return range in text.names ? range : "day";
}
