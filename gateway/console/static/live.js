/** Requests of the workspace as they come: filters, pause, and one of them at an address of its own. */
import { addressOf, go } from "./address.js";
import { ask, follow, may } from "./ask.js";
import { useAction } from "./live-data.js";
import { Copy, count, Empty, Notice, shown, Table, Time, Title } from "./parts.js";
import { html, useEffect, useRef, useState } from "./view.js";
import { words } from "./words.js";

const text = words.live;
const rowsMax = 200;
/** How often what came is drawn, how often it is said to readers, when a lost stream is asked for again. */
const drawMs = 250;
const sayMs = 10_000;
const againMs = 2_000;
const noFilter = { route: "", status: "", reason: "", event: "" };

export function Live({ session, address: [id] }) {
  const [filter, setFilter] = useState(() => history.state?.live ?? noFilter);
  const [bodies, setBodies] = useState(false);
  const [isPaused, setPaused] = useState(false);
  const feed = useFeed({ filter, bodies, isPaused });
  const one = id === undefined ? undefined : feed.rows.find((row) => row.request_id === id);
  useEffect(() => {
    function pressed(event) {
      if (!event.altKey || event.code !== "KeyP") return;
      event.preventDefault();
      setPaused((before) => !before);
    }
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  function choose(chosen) {
    history.replaceState({ ...history.state, live: chosen }, "");
    setFilter(chosen);
  }
  return html`
    <${Title}>${text.title}<//>
    <section class="card" aria-label=${text.filters}>
      <${Filters} filter=${filter} onChoose=${choose} routes=${feed.routes} />
      <p class="row"><button type="button" id="pause" class="main" aria-pressed=${isPaused} aria-keyshortcuts="Alt+P"
          onClick=${() => setPaused(!isPaused)}>${isPaused ? text.resume : text.pause}</button>
        <span id="rate" class="quiet">${rateText(feed)}</span>
        ${isPaused && feed.waiting > 0 && html`<span class="tag">${text.waiting(feed.waiting)}</span>`}</p>
      ${may(session, "console.bodies") && html`
        <label
          class="check"><input type="checkbox" id="bodies" checked=${bodies} aria-describedby="bodies-hint" onChange=${(event) =>
            setBodies(event.target.checked)} /> ${text.bodies}</label>
        <p id="bodies-hint" class="quiet">${text.bodiesHint}</p>
      `}
    </section>
    <p class="unseen" aria-live="polite">${feed.said}</p>
    ${feed.error && html`<${Notice}>${feed.error.status === 0 ? text.away : feed.error.message}<//>`}
    ${feed.missed && html`<${Notice} kind="info">${text.missed}<//>`}
    ${id !== undefined && html`<${One} key=${id} row=${one} id=${id} isKnown=${feed.isOpen} />`}
    <section class=${feed.error ? "card stale" : "card"} id="live">
      <${Table} hint=${text.hint} rows=${feed.rows} keyOf=${keyOf} columns=${columns}
        empty=${isFiltered(filter) ? text.noneFiltered : text.none} />
    </section>
  `;
}

/** Whoever repeats a request may give it the same id. */
function keyOf({ request_id: id, gateway, time }) {
  return `${id} ${gateway} ${time}`;
}

function isFiltered(filter) {
  return Object.values(filter).some((value) => value !== "");
}

function rateText({ rate, gateways }) {
  const of = rate === undefined || rate.shown === 0 ? 1 : Math.round(rate.seen / rate.shown);
  return `${of > 1 ? text.sampled(of) : text.all} · ${text.gateways(gateways)}`;
}

/** What came, bounded; nothing of it outlives the view. */
function useFeed({ filter, bodies, isPaused }) {
  const came = useRef([]);
  const paused = useRef(isPaused);
  paused.current = isPaused;
  const [state, setState] = useState(emptyFeed);
  useEffect(() => {
    const stop = new AbortController();
    came.current = [];
    setState(emptyFeed);
    void followOn({ filter, bodies, signal: stop.signal, came, setState });
    return () => stop.abort();
  }, [JSON.stringify(filter), bodies]);
  useEffect(() => {
    const timer = setInterval(() => draw({ came, isPaused: paused.current, setState }), drawMs);
    const saying = setInterval(() => setState(say), sayMs);
    return () => {
      clearInterval(timer);
      clearInterval(saying);
    };
  }, []);
  return state;
}

const emptyFeed = { rows: [], routes: [], all: 0, refused: 0, waiting: 0, gateways: 1, isOpen: false, said: "" };

function say(before) {
  return before.all === 0 ? before : { ...before, said: text.heard(before.all, before.refused) };
}

function draw({ came, isPaused, setState }) {
  const waiting = came.current.length;
  if (isPaused || waiting === 0) {
    setState((before) => (before.waiting === waiting ? before : { ...before, waiting }));
    return;
  }
  const latest = came.current;
  came.current = [];
  setState((before) => {
    const rows = newOf(latest, before.rows).toReversed();
    return {
      ...before,
      rows: [...rows, ...before.rows].slice(0, rowsMax),
      routes: [...new Set([...before.routes, ...rows.map(({ route }) => route)])].toSorted(),
      all: before.all + rows.length,
      refused: before.refused + rows.filter(isRefused).length,
      waiting: 0,
    };
  });
}

/** Each once: another gateway, which knows no place of the lost stream, sends all that it has. */
function newOf(latest, rows) {
  const known = new Set(rows.map(keyOf));
  return latest.filter((row) => !known.has(keyOf(row)) && known.add(keyOf(row)));
}

function isRefused({ status }) {
  return status >= 400;
}

/** Asks again and again, from where it was; ends with the view, or where asking again would not help. */
async function followOn({ filter, bodies, signal, came, setState }) {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ""));
  const path = `${bodies ? "/console/live/bodies" : "/console/live"}?${query}`;
  let lastId;
  while (!signal.aborted) {
    try {
      for await (const event of follow(path, { lastId, signal })) {
        lastId = event.id ?? lastId;
        heed(event, { came, setState });
      }
    } catch (error) {
      if (signal.aborted) return;
      setState((before) => ({ ...before, error: typeof error.status === "number" ? error : Object.assign(error, { status: 0 }) }));
      if (error.status >= 400 && error.status < 500 && error.status !== 429) return;
    }
    await new Promise((again) => setTimeout(again, againMs));
  }
}

function heed({ event, data }, { came, setState }) {
  if (event === "request") came.current = [...came.current, data].slice(-rowsMax);
  if (event === "rate") setState((before) => ({ ...before, rate: data, gateways: data.gateways }));
  if (event === "open") setState((before) => ({ ...before, isOpen: true, error: undefined, missed: data.missed }));
  // Whose session is over is told so by any other question
  if (event === "end" && data.reason === "over") void ask("GET /console/session").catch(() => {});
}

function Filters({ filter, onChoose, routes }) {
  // What is typed is the form's own until it is asked for: the page is drawn anew all the time
  const [draft, setDraft] = useState(filter);
  function submit(event) {
    event.preventDefault();
    onChoose(Object.fromEntries(Object.entries(draft).map(([name, value]) => [name, value.trim()])));
  }
  function clear() {
    setDraft(noFilter);
    onChoose(noFilter);
  }
  function set(event) {
    const { name, value } = event.target;
    setDraft((before) => ({ ...before, [name]: value }));
  }
  return html`
    <form id="filters" autocomplete="off" onSubmit=${submit}>
      <div class="row">
          <label>${text.route} <input name="route" list="routes-seen" value=${draft.route} onInput=${set} spellcheck="false" /></label>
          <datalist id="routes-seen">${routes.map((route) => html`<option value=${route}></option>`)}</datalist>
          <label>${text.outcome} <select name="status" value=${draft.status} onChange=${set}>${Object.entries(text.outcomes).map((
            [value, name],
          ) => html`<option value=${value} selected=${value === draft.status}>${name}</option>`)}</select></label>
          <label>${text.reason} <input name="reason" value=${draft.reason} onInput=${set} spellcheck="false" /></label>
          <label>${text.event} <input name="event" value=${draft.event} onInput=${set} spellcheck="false" /></label>
          <button type="submit">${text.apply}</button>
          ${isFiltered(filter) && html`<button type="button" id="clear" onClick=${clear}>${text.clear}</button>`}
        </div>
    </form>
  `;
}

const columns = [
  [text.time, (row) => html`<a href=${addressOf("live", row.request_id)}><${Time} at=${row.time} /></a>`],
  [text.what, (row) => html`<code>${row.method} ${row.route}</code>`],
  [
    text.outcome,
    (row) => html`<span class=${isRefused(row) ? "state bad" : "state good"}>${row.status}${row.reason ? ` ${row.reason}` : ""}</span>`,
  ],
  [text.objects, (row) => summary(row)],
  [text.who, (row) => whoText(row.personal?.who.find((who) => who !== null))],
  [text.took, (row) => `${row.ms} ms`],
];

/** How many, and what was wrong with the first that was not taken whole. */
function summary({ objects, object_count: all = 0, events = [] }) {
  if (all === 0) return "";
  const wrong = objects.find(({ verdict }) => verdict !== "taken");
  const names = events.slice(0, 3).join(", ");
  return html`${count(all)}${names && ` · ${names}`}${
    wrong && html`
      <br /><span class="quiet">${[wrong.field, wrong.why].filter(Boolean).join(": ")}</span>
    `
  }`;
}

function whoText(who) {
  return who ? shown(Object.values(who)[0]) : "";
}

/** One request, at an address that can be given to others. */
function One({ row, id, isKnown }) {
  if (row === undefined) {
    return html`<section class="card" id="one"><h2>${text.one}</h2><p><${Copy} text=${id} what=${text.requestId} /></p>
      ${isKnown ? html`<${Empty}>${text.gone}<//>` : html`<p class="quiet">${words.loading}</p>`}<p><a href=${
      addressOf("live")
    }>${text.close}</a></p></section>`;
  }
  const objects = row.objects.map((object, at) => ({ ...object, who: row.personal?.who[at] }));
  return html`
    <section class="card" id="one">
      <h2>${text.one}</h2>
      <p><code>${row.method} ${row.route}</code> <span class=${isRefused(row) ? "state bad" : "state good"}>${row.status} ${row.reason ??
        text.taken}</span></p>
      ${row.personal?.message && html`<p>${row.personal.message}</p>`}
      <p><${Copy} text=${row.request_id} what=${text.requestId} /> <${Time} at=${row.time} />, ${row.ms} ms, ${text.gateway} <code>${row
        .gateway}</code></p>
      ${objects.length > 0 && html`<${Table} caption=${text.objects} rows=${objects} columns=${objectColumns} />`}
      ${row.object_count > objects.length && html`<p class="quiet">${text.cut}</p>`}
      ${row.personal?.body && html`
        <h3>${text.body}</h3>
        <pre class="json" tabindex="0">${row.personal.body}</pre>
      `}
      <p><a href=${addressOf("live")}>${text.close}</a></p>
    </section>
  `;
}

const objectColumns = [
  [text.object, (row) => html`<code>${row.array}[${row.index}]</code> ${row.name ?? ""}`],
  [text.verdict, (row) => html`<span class=${row.verdict === "taken" ? "state good" : "state bad"}>${text.verdicts[row.verdict]}</span>`],
  [text.field, (row) => row.field ?? ""],
  [text.why, (row) => row.why ?? ""],
  [text.who, (row) => html`<${Who} row=${row} />`],
];

/** The way to the person: by the platform id where that was sent, else by the name that the caller used. */
function Who({ row }) {
  const find = useAction(async () => {
    const { users } = await ask("POST /console/users", searchedBy(row.who));
    if (users[0]) go("people", users[0].platform_id);
    return users;
  });
  if (row.platform_id) return html`<a href=${addressOf("people", row.platform_id)}><code>${row.platform_id}</code></a>`;
  if (!row.who) return null;
  return html`${whoText(row.who)} <button type="button" onClick=${find.run} disabled=${find.busy}>${text.person}</button>
    <${Notice} error=${find.error} />${find.done?.length === 0 && html`<${Notice} kind="info">${text.nobody}<//>`}`;
}

function searchedBy(who) {
  const { braze_id: id, ...rest } = who;
  return id === undefined ? rest : { platform_id: id };
}
