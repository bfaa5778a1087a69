/** The translation matrix: every text of a message by its languages, and where it is missing. */
import { useAsked } from "./live-data.js";
import { count, Empty, Fresh, Notice, Table, Tile, Title } from "./parts.js";
import { html, useState } from "./view.js";
import { words } from "./words.js";

const text = words.translations;

export function Translations() {
  const asked = useAsked("GET /console/translations");
  const [missingAlone, setMissingAlone] = useState(false);
  return html`
    <${Title}>${text.title}<//>
    <${Fresh} asked=${asked}>${({ locales, messages, more }) =>
      messages.length === 0
        ? html`
          <section class="card">
            <${Empty}>${text.none}<//></section>
        `
        : html`
          ${more && html`<${Notice}>${text.more}<//>`}
          <section class="card" id="missing"><h2>${text.missing}</h2><dl class="tiles">${locales.map((name) => {
            const missing = missingIn(messages, name);
            return html`<${Tile} key=${name} name=${name} kind=${missing > 0 ? "bad" : "good"}>${
              missing === 0 ? text.complete : text.missingCount(count(missing))
            }<//>`;
          })}</dl>
            <label class="check"><input type="checkbox" checked=${missingAlone} onChange=${(event) =>
              setMissingAlone(event.target.checked)} /> ${text.missingAlone}</label></section>
          ${shownOf(messages, missingAlone).map((row) => html`<${Message} key=${row.message.id} row=${row} />`)}
        `}<//>
  `;
}

function missingIn(messages, name) {
  return messages.reduce((sum, { texts }) => sum + texts.filter(({ missing }) => missing.includes(name)).length, 0);
}

function shownOf(messages, missingAlone) {
  if (!missingAlone) return messages;
  return messages.map((row) => ({ ...row, texts: row.texts.filter(({ missing }) => missing.length > 0) }))
    .filter(({ texts }) => texts.length > 0);
}

function Message({ row }) {
  const { kind, owner, step, message, locales, texts } = row;
  const columns = [
    [text.id, (one) => html`<code>${one.id}</code>`],
    [text.source, (one) => one.source],
    ...locales.map((name) => [name, (one) => html`<${Cell} isMissing=${one.missing.includes(name)} />`]),
  ];
  const name = [owner.name, step?.name, message.name].filter((part) => part).join(" / ");
  return html`
    <section class="card message">
      <h2>${name} <span class="tag">${text.kinds[kind]}</span></h2>
      <${Table} caption=${name} empty=${text.noTexts} rows=${texts} keyOf=${(one) => one.id} columns=${columns} />
    </section>
  `;
}

function Cell({ isMissing }) {
  return html`<span class=${isMissing ? "state bad" : "state good"}>${isMissing ? text.isMissing : text.isThere}</span>`;
}
