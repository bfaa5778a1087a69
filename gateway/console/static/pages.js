/** Preference centers: which there are, their versions, what a version changed, and an earlier one brought back. */
import { addressOf } from "./address.js";
import { ask, may } from "./ask.js";
import { draftName, keptDraft } from "./drafts.js";
import { useAction, useAsked } from "./live-data.js";
import { Copy, Fresh, Notice, Question, Table, Time, Title } from "./parts.js";
import { PageEditor } from "./page-editor.js";
import { html, useState } from "./view.js";
import { words } from "./words.js";

const text = words.pages;

export function Pages({ session, address: [id] }) {
  return id === undefined ? html`<${Centers} />` : html`<${Center} session=${session} id=${id} />`;
}

function Centers() {
  const asked = useAsked("GET /preference_center/v1/list");
  return html`
    <${Title}>${text.title}<//>
    <section class="card" id="centers"><${Fresh} asked=${asked}>${({ preference_centers: centers }) =>
      html`
        <${Table} caption=${text.title}
          empty=${text.none} rows=${centers} keyOf=${centerId} columns=${centerColumns} />
      `}<//></section>
  `;
}

function centerId(row) {
  return row.preference_center_api_id;
}

const centerColumns = [
  [text.name, (row) => html`<a href=${addressOf("pages", centerId(row))}>${row.name}</a>`],
  [text.made, (row) => html`<${Time} at=${row.created_at} />`],
  [text.changed, (row) => html`<${Time} at=${row.updated_at} />`],
];

function Center({ session, id }) {
  const path = `/preference_center/v1/${encodeURIComponent(id)}`;
  const center = useAsked(`GET ${path}`);
  const [before, setBefore] = useState();
  const versions = useAsked(`GET ${path}/versions${before === undefined ? "" : `?before=${before}`}`);
  const [compared, setCompared] = useState();
  const [restoring, setRestoring] = useState();
  const mayWrite = may(session, "preference_center.update");
  const keptAs = draftName(session, id);
  const [isEditing, setEditing] = useState(() => mayWrite && keptDraft(keptAs) !== undefined);
  const [done, setDone] = useState("");
  function written(told) {
    setRestoring(undefined);
    setEditing(false);
    setDone(told);
    setBefore(undefined);
    center.again();
    versions.again();
  }
  function close(told) {
    setRestoring(undefined);
    if (told === "restored") written(text.restored);
  }
  return html`
    <p class="path"><a href=${addressOf("pages")}>${text.title}</a></p>
    <${Fresh} asked=${center}>${(data) =>
      html`<${Title}>${data.name}<//><p><${Copy} text=${id} what=${text.id} /> <span class="tag">${data.state}</span></p>
      ${mayWrite && !isEditing && html`<p><button type="button" id="edit" onClick=${() => setEditing(true)}>${text.edit}</button></p>`}
      ${
        isEditing && html`
          <${PageEditor} path=${path} keptAs=${keptAs} center=${data} onPublished=${() => written(text.published)}
            onClose=${() => setEditing(false)} />
        `
      }`}<//>
    <${Notice} kind="good">${done}<//>
    <section class="card" id="versions"><h2>${text.versions}</h2><${Fresh} asked=${versions}>${({ versions: rows }) =>
      html`
        <${Table}
          caption=${text.versions} rows=${rows} keyOf=${(row) => row.version}
          columns=${versionColumns({
            newest: before === undefined ? rows[0]?.version : undefined,
            setCompared,
            setRestoring,
            mayRestore: mayWrite,
          })} />
        <p class="row">${before !== undefined &&
          html`<button type="button" onClick=${() => setBefore(undefined)}>${text.latest}</button>`}
          ${rows.at(-1)?.version > 1 &&
            html`<button type="button" onClick=${() => setBefore(rows.at(-1).version)}>${text.older}</button>`}</p>
      `}<//></section>
    ${compared !== undefined && html`<${Difference} key=${compared} path=${path} version=${compared} />`}
    ${restoring !== undefined && html`<${Restore} path=${path} version=${restoring} onClose=${close} />`}
  `;
}

function versionColumns({ newest, setCompared, setRestoring, mayRestore }) {
  return [
    [text.version, (row) => row.version],
    [text.written, (row) => html`<${Time} at=${row.written_at} />`],
    [text.by, (row) => html`<code>${row.written_by}</code>`],
    [text.from, (row) => row.restored_from ?? ""],
    [text.actions, (row) =>
      html`<span class="row">
      <button type="button" aria-label=${text.compareNamed(row.version)} onClick=${() => setCompared(row.version)}>${text.compare}</button>
      ${
        mayRestore && row.version !== newest && html`
          <button type="button" aria-label=${text.restoreNamed(row.version)}
            onClick=${() => setRestoring(row.version)}>${text.restore}</button>
        `
      }</span>`],
  ];
}

function Difference({ path, version }) {
  const asked = useAsked(`GET ${path}/versions/${version}/diff`);
  return html`
    <section class="card" id="difference">
      <h2>${text.difference(version)}</h2>
      <${Fresh} asked=${asked}>${({ fields }) =>
        fields.length === 0 ? html`<p class="empty">${text.same}</p>` : fields.map(({ field, unified }) =>
          html`
            <h3>${field}</h3>
            <pre class="json diff" tabindex="0">${unified.split("\n").map(lineOf)}</pre>
          `
        )}<//></section>
  `;
}

function lineOf(line) {
  if (line.startsWith("+")) return html`<ins>${line}</ins>`;
  return line.startsWith("-") ? html`<del>${line}</del>` : html`<span>${line}</span>`;
}

function Restore({ path, version, onClose }) {
  const restore = useAction(async () => {
    await ask(`POST ${path}/versions/${version}/restore`, {});
    onClose("restored");
  });
  return html`
    <${Question} title=${text.restoreTitle(version)} submit=${text.restore} action=${restore} onClose=${onClose}>
      <p>${text.restoreText}</p>
      <//>
  `;
}
