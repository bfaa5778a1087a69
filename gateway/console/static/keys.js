/** The API keys of the workspace: made, rotated with an overlap, revoked. */
import { ask, may } from "./ask.js";
import { useAction, useAsked } from "./live-data.js";
import { Copy, Fresh, Notice, Question, Table, Time, Title } from "./parts.js";
import { html, useState } from "./view.js";
import { words } from "./words.js";

const text = words.keys;

export function Keys({ session }) {
  const asked = useAsked("GET /console/keys");
  const [open, setOpen] = useState();
  /** What was done last: `{ secret }` of a new key, or the name of one that was `{ revoked }`. */
  const [done, setDone] = useState();
  const [withRevoked, setWithRevoked] = useState(false);
  function close(outcome) {
    setOpen(undefined);
    if (outcome?.secret !== undefined || outcome?.revoked !== undefined) setDone(outcome);
    asked.again();
  }
  const dialogs = { make: MakeKey, rotate: RotateKey, revoke: RevokeKey };
  return html`
    <${Title}>${text.title}<//>
    <p class="row"><button type="button" class="main" id="make-key" onClick=${() => setOpen({ kind: "make" })}>${text.make}</button></p>
    ${done?.revoked !== undefined && html`<${Notice} kind="good">${text.wasRevoked(done.revoked)}<//>`}
    ${done?.secret && html`
      <section class="card good" id="secret" role="status">
        <p>${text.secret}</p>
        <${Copy} text=${done.secret} what="secret" />
      </section>
    `}
    <section class="card" id="keys">
      <${Fresh} asked=${asked}>${({ keys }) =>
        html`
          <label class="check"><input type="checkbox" checked=${withRevoked} onChange=${(event) =>
            setWithRevoked(event.target.checked)} /> ${text.showRevoked}</label>
          <${Table} caption=${text.title} empty=${text.noKeys} rows=${keys.filter(({ state }) =>
            withRevoked || state !== "revoked"
          )} keyOf=${(row) => row.id}
            columns=${columnsFor(setOpen)} />
        `}<//></section>
    ${open && html`<${dialogs[open.kind]} session=${session} row=${open.row} onClose=${close} />`}
  `;
}

function columnsFor(setOpen) {
  return [
    [text.name, (row) => html`<strong>${row.name}</strong>`],
    [text.id, (row) => html`<${Copy} text=${row.id} what=${text.id} />`],
    [text.permissions, (row) =>
      row.permissions.map((name) =>
        html`
          <code class="tag">${name}</code>
        `
      )],
    [text.made, (row) => html`<${Time} at=${row.created_at} />`],
    [text.used, (row) => row.last_used_at ? html`<${Time} at=${row.last_used_at} />` : html`<span class="quiet">${text.neverUsed}</span>`],
    [
      text.state,
      (row) =>
        html`<span class=${row.state === "valid" ? "state good" : "state bad"}>${
          text.states[row.state]
        }</span> <${Time} at=${row.ends_at} />`,
    ],
    [text.actions, (row) =>
      html`<span class="row">
      ${
        row.state === "valid" &&
        html`<button type="button" aria-label=${`${text.rotate} ${row.name}`} onClick=${() =>
          setOpen({ kind: "rotate", row })}>${text.rotate}</button>`
      }
      ${
        row.state !== "revoked" &&
        html`<button type="button" class="bad" aria-label=${`${text.revoke} ${row.name}`} onClick=${() =>
          setOpen({ kind: "revoke", row })}>${text.revoke}</button>`
      }</span>`],
  ];
}

function MakeKey({ session, onClose }) {
  const [chosen, setChosen] = useState([]);
  const make = useAction(async (form) => {
    const { secret } = await ask("POST /console/keys", { name: form.get("name"), permissions: chosen });
    onClose({ secret });
  });
  const given = session.permission_names.filter((name) => name === "*" ? session.key.permissions.includes("*") : may(session, name));
  function toggle(name, isOn) {
    setChosen((before) => isOn ? [...before, name] : before.filter((one) => one !== name));
  }
  return html`
    <${Question} title=${text.make} submit=${text.makeSubmit} action=${make} onClose=${onClose} disabled=${chosen.length === 0}
      hint=${chosen.length === 0 ? text.pick : ""}>
      <${MaybeMade} error=${make.error} />
      <label for="key-name">${text.name}</label><input id="key-name" name="name" required maxlength="255" autocomplete="off" />
      <fieldset><legend>${text.permissions}</legend>${given.map((name) =>
        html`<label class="check"><input type="checkbox"
      onChange=${(event) => toggle(name, event.target.checked)} /> ${name === "*" ? text.everything : html`<code>${name}</code>`}</label>`
      )}</fieldset>
      <//>
  `;
}

function RotateKey({ row, onClose }) {
  const rotate = useAction(async (form) => {
    const { secret } = await ask("POST /console/keys/rotate", { id: row.id, overlap_seconds: Number(form.get("overlap")) });
    onClose({ secret });
  });
  return html`
    <${Question} title=${text.rotateTitle(row.name)} submit=${text.rotate} action=${rotate} onClose=${onClose}>
      <${MaybeMade} error=${rotate.error} />
      <label for="overlap">${text.rotateText}</label>
      <select id="overlap" name="overlap">${text.overlap.map(([seconds, name]) =>
        html`<option value=${seconds} selected=${seconds === 86_400}>${name}</option>`
      )}</select>
      <//>
  `;
}

/** Where no answer came, there may be a key all the same. */
function MaybeMade({ error }) {
  return (error?.status === 0 || error?.status >= 500) && html`<${Notice} kind="info">${text.maybeMade}<//>`;
}

function RevokeKey({ session, row, onClose }) {
  const revoke = useAction(async () => {
    await ask("POST /console/keys/revoke", { id: row.id });
    onClose({ revoked: row.name });
  });
  return html`
    <${Question} title=${text.revokeTitle(row.name)} submit=${text.revoke} kind="bad" action=${revoke} onClose=${onClose}>
      <p>${text.revokeText}</p>${row.id === session.key.id && html`<p><strong>${text.revokeOwn}</strong></p>`}
      <//>
  `;
}
