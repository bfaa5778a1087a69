/** Small parts that views share: times, ids, tables, notices, tabs, dialogs. */
import { movedOnce } from "./address.js";
import { Bodies } from "./long-list.js";
import { html, useEffect, useRef, useState } from "./view.js";
import { words } from "./words.js";

const shortTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const number = new Intl.NumberFormat();

export function count(value) {
  return number.format(value ?? 0);
}

/** Local, with UTC on hover. */
export function Time({ at }) {
  if (at === undefined || at === null || at === "") return null;
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return html`<span>${String(at)}</span>`;
  return html`<time datetime=${time.toISOString()} title=${`${time.toISOString()} (UTC)`}>${shortTime.format(time)}</time>`;
}

/** In the largest unit that fits. */
export function lasting(seconds) {
  const units = [[86_400, words.days], [3_600, words.hours], [60, words.minutes]];
  const [size, name] = units.find(([size]) => seconds >= size) ?? [1, words.seconds];
  return name(Math.floor(seconds / size));
}

/** A text that one click copies; nothing where there is none. */
export function Copy({ text, what }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  if (!text) return null;
  async function copy() {
    await navigator.clipboard?.writeText(text).then(() => setCopied(true), () => {});
  }
  return html`<span class="id"><code>${text}</code><button
    type="button" class="copy" onClick=${copy} aria-label=${words.copy(what)} title=${words.copy(what)}>${
    copied ? words.copied : copyIcon
  }</button></span>`;
}

const copyIcon = html`
  <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
    <path fill="none" stroke="currentColor" stroke-width="1.5"
      d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />
  </svg>
`;

/** The heading of a view. Who came by keyboard or screen reader goes on here. */
export function Title({ children }) {
  const heading = useRef();
  useEffect(() => {
    if (movedOnce()) heading.current.focus();
  }, []);
  return html`<h1 tabindex="-1" ref=${heading}>${children}</h1>`;
}

export function Notice({ error, children, kind = "bad" }) {
  const text = error === undefined ? children : error.message;
  return text ? html`<p class=${`notice ${kind}`} role=${kind === "bad" ? "alert" : "status"}>${text}</p>` : null;
}

export function Empty({ children }) {
  return html`<p class="empty">${children}</p>`;
}

/** One of a list of class `tiles`. */
export function Tile({ name, kind = "", children }) {
  return html`
    <div class=${`tile ${kind}`}>
      <dt>${name}</dt>
      <dd>${children}</dd>
    </div>
  `;
}

/**
 * `columns`: `[head, cell]`, where `cell` makes what stands there of a row. `hint` is a caption to be seen, `caption` one for readers. Of long
 * lists only what is near is in the page. `below` makes what stands open under a row, or nothing; `kindOf` is its class. On narrow screens a row is a block, and each cell has its head beside it.
 */
export function Table({ caption, hint, columns, rows, empty = words.none, keyOf, kindOf, below }) {
  if (rows.length === 0) return html`<${Empty}>${empty}<//>`;
  const isLong = rows.length > longFrom;
  function rowOf(row, at) {
    const opened = below?.(row);
    const key = keyOf?.(row) ?? at;
    const cells = html`<tr key=${key} class=${kindOf?.(row)} aria-rowindex=${isLong ? at + 2 : undefined}>${
      columns.map(([head, cell]) =>
        html`
          <td data-label=${head}>
            <div>${cell(row)}</div>
          </td>
        `
      )
    }</tr>`;
    if (!opened) return cells;
    return [
      cells,
      html`
        <tr key=${`${key} below`} class="below">
          <td colspan=${columns.length}>${opened}</td>
        </tr>
      `,
    ];
  }
  return html`
    <table aria-rowcount=${isLong ? rows.length + 1 : undefined}>
      <caption class=${hint ? "" : "unseen"}>${hint ?? caption}</caption>
      <thead>
        <tr>${columns.map(([head]) => html`<th scope="col">${head}</th>`)}</tr>
      </thead>
      <${Bodies} rows=${rows} columns=${columns.length} rowOf=${rowOf} />
    </table>
  `;
}

/** From so many rows on readers are told how many there are, and which one this is. */
const longFrom = 100;

/** A question before something happens: the focus stays in it, Escape closes it. */
export function Dialog({ title, wide = false, onClose, children }) {
  const dialog = useRef();
  useEffect(() => {
    const shown = dialog.current;
    shown.showModal();
    // Whatever is behind it takes no focus while it is open; closing gives the focus back to where it was
    return () => shown.close();
  }, []);
  return html`<dialog ref=${dialog} class=${wide ? "wide" : ""} aria-labelledby="dialog-title" onClose=${onClose}>
    <h2 id="dialog-title">${title}</h2>${children}</dialog>`;
}

/** A question by whose answer something is done: `action` runs with what the form holds, and why it was not done stands above the rest. */
export function Question({ title, submit, kind = "main", hint = "", disabled, action, onClose, children }) {
  function submitted(event) {
    event.preventDefault();
    void action.run(new FormData(event.target));
  }
  // The way out comes first
  return html`
    <${Dialog} title=${title} onClose=${onClose}>
      <form onSubmit=${submitted}>
        <${Notice} error=${action.error} />
        ${children}
        <p class="row end"><span class="quiet">${hint}</span><button type="button" onClick=${() => onClose()}>${words.cancel}</button>
          <button type="submit" class=${kind} disabled=${action.busy || disabled}>${submit}</button></p>
      </form>
      <//>
  `;
}

/** Dims what has not been renewed, and says since when. */
export function Fresh({ asked, children }) {
  const { data, at, error } = asked;
  if (data === undefined) return error ? html`<${Notice} error=${error} />` : html`<p class="quiet" role="status">${words.loading}</p>`;
  return html`
    ${error && html`<p class="notice bad" role="alert">${words.stale(error.message)} <${Time} at=${at} /></p>`}
    <div class=${error ? "stale" : ""}>${children(data)}</div>
  `;
}

export function Json({ value }) {
  return html`<pre class="json" tabindex="0">${JSON.stringify(value, null, 2)}</pre>`;
}

/** As text; values of people are never part of the page. */
export function shown(value) {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Gives the browser a file to keep. */
export function saveFile(name, type, text) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement("a"), { href, download: name }).click();
  // The browser may begin to read it after the click
  setTimeout(() => URL.revokeObjectURL(href), readWithinMs);
}

const readWithinMs = 10_000;
