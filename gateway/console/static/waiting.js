/** What waits for a human: blocked users and dead letters, with their errors, tried once more or passed over. */
import { addressOf } from "./address.js";
import { ask, may } from "./ask.js";
import { useAction, useAsked } from "./live-data.js";
import { count, Fresh, Notice, Question, Table } from "./parts.js";
import { placeOf, WaitingRecord } from "./record.js";
import { html, useEffect, useRef, useState } from "./view.js";
import { words } from "./words.js";

const text = words.waiting;
const everyMs = 5_000;

/** `isMeant`: the address names it. */
export function Waiting({ session, isMeant }) {
  const asked = useAsked("GET /console/log", { everyMs });
  const [open, setOpen] = useState();
  const [shown, setShown] = useState();
  const [done, setDone] = useState("");
  const heading = useRef();
  useEffect(() => {
    if (isMeant) heading.current.focus();
  }, [isMeant]);
  function close(told) {
    setOpen(undefined);
    if (typeof told !== "string") return;
    setDone(told);
    asked.again();
  }
  const columns = columnsFor({ session, setOpen, shown, setShown });
  function below(row) {
    return keyOf(row) === shown && html`<${WaitingRecord} row=${row} />`;
  }
  return html`
    <${Notice} kind="good">${done}<//>
    <section class="card" id="waiting"><h2 tabindex="-1" ref=${heading}>${text.title}</h2><${Fresh} asked=${asked}>${(data) =>
      html`
        ${data.away.length > 0 && html`<${Notice}>${text.away(data.away.join(", "))}<//>`}
        ${data.more && html`<${Notice}>${text.more}<//>`}
        ${data.blocked_users.length + data.dead_letters.length > 0 &&
          html`<p class="row"><button type="button" class="main" id="redrive" onClick=${() =>
            setOpen({ kind: Redrive })}>${text.redrive}</button></p>`}
        <h3>${text.blocked}</h3>
        <${Table} hint=${text.blockedHint} empty=${text.noBlocked} rows=${data.blocked_users} columns=${columns.blocked}
          keyOf=${keyOf} below=${below} />
        <h3>${text.letters}</h3>
        <${Table} hint=${text.lettersHint} empty=${text.noLetters} rows=${data.dead_letters} columns=${columns.letters}
          keyOf=${keyOf} below=${below} />
      `}<//></section>
    ${open && html`<${open.kind} row=${open.row} onClose=${close} />`}
  `;
}

function keyOf(row) {
  return `${row.platform_id ?? laneOf(row)} ${row.workspace_id ?? ""} ${row.at}`;
}

function laneOf(row) {
  return row.lane ?? `intake-${row.partition}`;
}

function columnsFor({ session, setOpen, shown, setShown }) {
  const rest = [
    [text.at, (row) => html`<code>${row.at}</code>`],
    [text.reason, (row) => html`<span class="error-text">${row.reason}</span>`],
    [text.actions, (row) =>
      html`
        ${may(session, "console.bodies") && html`<${Show} row=${row} shown=${shown} setShown=${setShown} />`}
        <button type="button" class="bad" aria-label=${text.skipNamed(row.at)}
          onClick=${() => setOpen({ kind: Skip, row })}>${text.skip}</button>
      `],
  ];
  function person(row) {
    const isOwn = row.workspace_id === session.workspace.id;
    return isOwn ? html`<a href=${addressOf("people", row.platform_id)}>${row.platform_id}</a>` : html`<code>${row.platform_id}</code>`;
  }
  return {
    blocked: [[text.person, person], [text.workspace, (row) => html`<code>${row.workspace_id}</code>`], ...rest],
    letters: [
      [text.lane, (row) => html`<code>${laneOf(row)}</code>`],
      [text.of, (row) => row.of],
      [text.workspace, (row) => html`<code>${row.workspace_id}</code>`],
      ...rest,
    ],
  };
}

function Show({ row, shown, setShown }) {
  const isShown = keyOf(row) === shown;
  return html`
    <button type="button" aria-expanded=${isShown} aria-label=${isShown ? text.hideNamed(row.at) : text.showNamed(row.at)}
      onClick=${() => setShown(isShown ? undefined : keyOf(row))}>${isShown ? text.hide : text.show}</button>
  `;
}

function Redrive({ onClose }) {
  const redrive = useAction(async () => {
    const { blocked_users: users, dead_letters: letters } = await ask("POST /console/log/redrive", {});
    onClose(text.redriven(count(users), count(letters)));
  });
  return html`
    <${Question} action=${redrive} title=${text.redriveTitle} onClose=${onClose} submit=${text.redrive}>
      <p>${text.redriveText}</p>
      <//>
  `;
}

function Skip({ row, onClose }) {
  const skip = useAction(async () => {
    await ask("POST /console/log/skip", { records: [placeOf(row)] });
    onClose(text.skipped(row.at));
  });
  return html`
    <${Question} action=${skip} title=${text.skipTitle(row.at)} onClose=${onClose} submit=${text.skipConfirm} kind="bad">
      <p>${text.skipText}</p>
      <//>
  `;
}
