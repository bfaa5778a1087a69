/** Merges of a person: what was taken in, taking it back while that can be done, and merging another one in. */
import { addressOf } from "./address.js";
import { ask, may } from "./ask.js";
import { useAction, useAsked } from "./live-data.js";
import { Copy, Dialog, Empty, Fresh, Json, lasting, Notice, Question, Table, Time } from "./parts.js";
import { Origin } from "./person-tabs.js";
import { html, useState } from "./view.js";
import { words } from "./words.js";

const text = words.person;

export function Merges({ session, user, asked }) {
  const [open, setOpen] = useState();
  const [undone, setUndone] = useState();
  const mayMerge = may(session, "users.merge");
  function close(source) {
    setOpen(undefined);
    if (typeof source !== "string") return;
    setUndone(source);
    asked.again();
  }
  return html`
    ${undone && html`<p class="notice good" role="status">${text.undone} <a href=${addressOf("people", undone)}>${text.showSource}</a></p>`}
    <section class="card">
      <h2>${text.merges}</h2>
      <${Table} caption=${text.merges} empty=${text.noMerges} rows=${user.merges.toReversed()}
        keyOf=${(row) => row.merge_id} columns=${columnsFor(mayMerge, setOpen)} />
    </section>
    ${user.undone_merges.length > 0 && html`
      <section class="card" id="undone">
        <h2>${text.undoneMerges}</h2>
        <${Table} caption=${text.undoneMerges} rows=${user.undone_merges.toReversed()} keyOf=${(row) => row.merge_id}
          columns=${undoneColumns} />
      </section>
    `}
    ${mayMerge && html`<${MergeIn} user=${user} asked=${asked} onMerged=${() => setUndone(undefined)} />`}
    ${open && html`<${open.dialog} merge=${open.merge} user=${user} onClose=${close} />`}
  `;
}

function secondsUntil(time) {
  return Math.max(0, Math.round((Date.parse(time) - Date.now()) / 1_000));
}

function columnsFor(mayMerge, setOpen) {
  return [
    [text.time, (row) => html`<${Time} at=${row.time} />`],
    [text.takenIn, (row) => html`<${Copy} text=${row.source_platform_id} what=${words.people.platform_id} />`],
    [text.request, (row) => html`<${Origin} by=${row.asked_by} />`],
    [text.sides, (row) =>
      row.undo &&
      html`<button type="button" class="sides-of" onClick=${() => setOpen({ dialog: Sides, merge: row })}>${text.sides}</button>`],
    [text.undo, (row) => {
      if (row.undo === undefined) return text.undoNever;
      if (row.undo.blocked) return row.undo.blocked;
      return html`${
        mayMerge && html`<button type="button" class="undo" onClick=${() => setOpen({ dialog: Undo, merge: row })}>${text.undo}</button>`
      } <span class="whole">${text.undoLeft(lasting(secondsUntil(row.undo.until)))}</span>`;
    }],
  ];
}

const undoneColumns = [
  [text.time, (row) => html`<${Time} at=${row.time} />`],
  [text.other, (row) => html`<a href=${addressOf("people", row.other_platform_id)}><code>${row.other_platform_id}</code></a>`],
  [text.role, (row) => text.roles[row.was]],
  [text.request, (row) => html`<${Origin} by=${row.asked_by} />`],
];

/** Both profiles as they were before the merge: asked for when somebody looks. */
function Sides({ merge, user, onClose }) {
  const asked = useAsked("POST /console/users", { body: { platform_id: user.platform_id, sides_of: merge.merge_id } });
  return html`
    <${Dialog} title=${text.sidesTitle} wide=${true} onClose=${onClose}>
      <${Fresh} asked=${asked}>${({ users }) => {
        const sides = users[0]?.merges.find(({ merge_id: id }) => id === merge.merge_id)?.sides;
        return sides === undefined
          ? html`<${Empty}>${text.sidesGone}<//>`
          : html`<${Profiles} sides=${[[text.both.keep, sides.target], [text.both.take, sides.source]]} />`;
      }}<//>
          <p class="row end"><button type="button" class="main" onClick=${() => onClose()}>${words.close}</button></p>
        <//>
  `;
}

function Profiles({ sides }) {
  return html`<div class="sides">${
    sides.map(([name, profile]) =>
      html`
        <div>
          <h4>${name}</h4>
          <${Json} value=${profile} />
        </div>
      `
    )
  }</div>`;
}

function Undo({ merge, onClose }) {
  const undo = useAction(async () => {
    await ask("POST /users/merge/undo", { job_id: merge.undo.job_id, index: merge.undo.index });
    onClose(merge.source_platform_id);
  });
  return html`
    <${Question} title=${text.undoTitle} submit=${text.undo} action=${undo} onClose=${onClose}>
      <p>${text.undoText}</p>
      <//>
  `;
}

/** What a merge would make is shown before it is asked for. */
function MergeIn({ user, asked, onMerged }) {
  const [other, setOther] = useState("");
  const [preview, setPreview] = useState();
  const keep = user.profile.external_id;
  const body = { merge_updates: [{ identifier_to_merge: { external_id: other.trim() }, identifier_to_keep: { external_id: keep } }] };
  const look = useAction(async () => {
    const [result, { users: [source] }] = await Promise.all([
      ask("POST /users/merge/preview", body),
      ask("POST /console/users", { external_id: other.trim() }),
    ]);
    setPreview({ ...result, source, body });
  });
  const merge = useAction(async () => {
    await ask("POST /users/merge", preview.body);
    setPreview(undefined);
    setOther("");
    onMerged();
    asked.again();
    setTimeout(asked.again, 1_000);
  });
  if (keep === undefined) {
    return html`
      <section class="card">
        <h2>${text.mergeInto}</h2>
        <p class="empty">${text.mergeNeedsId}</p>
      </section>
    `;
  }
  function submit(event) {
    event.preventDefault();
    void look.run();
  }
  // The answer may come after another name was typed
  const isShown = JSON.stringify(preview?.body) === JSON.stringify(body);
  return html`<section class="card"><h2>${text.mergeInto}</h2>
    <form onSubmit=${submit}><label for="other">${text.mergeOther}</label><div class="row">
      <input id="other" required spellcheck="false" autocomplete="off" value=${other} onInput=${(event) =>
    setOther(event.target.value)} /><button type="submit" disabled=${look.busy}>${text.preview}</button></div></form>
    <${Notice} error=${look.error ?? merge.error} />
    ${merge.done && html`<${Notice} kind="good">${text.mergeSent}<//>`}
    ${
    isShown && (preview.would_merge
      ? html`
        <h3>${text.previewed}</h3>
        <${Profiles} sides=${[
          [text.both.keep, user.profile],
          [text.both.take, preview.source?.profile ?? {}],
          [text.both.result, preview.user],
        ]} />
        <p class="row"><button type="button" class="main" onClick=${merge.run} disabled=${merge.busy}>${text.merge}</button></p>
      `
      : html`<${Notice} kind="info">${`${text.wouldNot}: ${preview.reason}`}<//>`)
  }
  </section>`;
}
