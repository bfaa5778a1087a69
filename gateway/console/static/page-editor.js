/** A draft of a preference center: edited, seen in a sandbox while it is typed, checked by the server, and published as the next version. */
import { ask } from "./ask.js";
import { forgetDraft, useDraft } from "./drafts.js";
import { useAction } from "./live-data.js";
import { Notice, Question } from "./parts.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "./view.js";
import { words } from "./words.js";

const text = words.editor;
const quietMs = 500;
const fields = [
  ["preference_center_title", "line"],
  ["preference_center_page_html", "area"],
  ["confirmation_page_html", "area"],
  ["redirect_page_html", "area"],
];

/** `keptAs`: the name by which the browser keeps the draft. */
export function PageEditor({ path, keptAs, center, onPublished, onClose }) {
  const { draft, put, wasKept } = useDraft(keptAs, draftOf(center));
  const [asking, setAsking] = useState(false);
  const preview = usePreview(path, draft);
  function cancel() {
    forgetDraft(keptAs);
    onClose();
  }
  function published() {
    forgetDraft(keptAs);
    onPublished();
  }
  return html`
    <section class="card" id="editor">
      <h2>${text.title}</h2>
      <p class="quiet">${text.hint}</p>
      ${wasKept && html`<${Notice} kind="info">${text.kept}<//>`}
      <div class="beside">
        <div>${fields.map(([name, kind]) =>
          html`<${Field} key=${name} name=${name} kind=${kind} value=${draft[name]} onInput=${(value) => put(name, value)} />`
        )}
      <label for="state">${text.state}</label>
      <select id="state" value=${draft.state} onChange=${(event) => put("state", event.target.value)}>${Object.entries(text.states).map((
        [name, label],
      ) => html`<option value=${name} selected=${draft.state === name}>${label}</option>`)}</select></div>
        <div>
          <div id="checked" role="status"><${Notice} error=${preview.error} />${preview.warnings.map((warning) =>
            html`<p class="notice">${warning}</p>`
          )}</div>
          <${Frame} answer=${preview} />
        </div>
      </div>
      <p class="row end"><button type="button" onClick=${cancel}>${words.cancel}</button><button type="button" class="main" id="publish"
        disabled=${preview.error !== undefined} onClick=${() => setAsking(true)}>${text.publish}</button></p>
    </section>
    ${asking && html`<${Publish} path=${path} draft=${draft} onPublished=${published} onClose=${() => setAsking(false)} />`}
  `;
}

function draftOf(center) {
  const draft = Object.fromEntries(fields.map(([name]) => [name, center[name] ?? ""]));
  return { ...draft, state: center.state };
}

function Field({ name, kind, value, onInput }) {
  const shared = { id: name, spellcheck: false, value, onInput: (event) => onInput(event.target.value) };
  return html`
    <label for=${name}>${text.fields[name]}</label>
    ${kind === "area" ? html`<textarea rows="10" ...${shared}></textarea>` : html`<p class="row"><input ...${shared} /></p>`}
  `;
}

/** `{ page, answer, warnings, error }`: of what was typed last, once nothing is typed for a moment. */
function usePreview(path, draft) {
  const [state, setState] = useState({ page: "", answer: "", warnings: [] });
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const seen = await ask(`POST ${path}/preview`, draft, { signal: stop.signal });
        if (!stop.signal.aborted) setState({ page: seen.page_html, answer: seen.answer_html, warnings: seen.warnings });
      } catch (error) {
        // What was seen last stays, under the reason
        if (!stop.signal.aborted) setState((before) => ({ ...before, warnings: [], error }));
      }
    }, quietMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [path, draft]);
  return state;
}

/** Nothing in the frame runs but our own few lines, which take HTML from here alone; it has no origin, so it reaches nothing of the console. */
function Frame({ answer }) {
  const frame = useRef();
  const [shown, setShown] = useState("page");
  const [ready, setReady] = useState(0);
  // Before the frame can have loaded: it says that it is ready once
  useLayoutEffect(() => {
    function heard({ source, data }) {
      if (source === frame.current?.contentWindow && data?.ready === true) setReady((before) => before + 1);
    }
    addEventListener("message", heard);
    return () => removeEventListener("message", heard);
  }, []);
  useEffect(() => {
    // A frame without an origin has no name to send to; what it gets is what whoever types it sees
    if (ready > 0) frame.current.contentWindow.postMessage({ html: answer[shown] }, "*");
  }, [answer, shown, ready]);
  return html`
    <h3>${text.preview}</h3>
    <p class="row">${["page", "answer"].map((name) =>
      html`<button type="button" aria-pressed=${shown === name} onClick=${() => setShown(name)}>${text.shown[name]}</button>`
    )}<span class="quiet">${text.previewHint}</span></p>
    <iframe ref=${frame} class=${answer.error ? "preview stale" : "preview"} title=${text
      .preview} sandbox="allow-scripts" src="/console/preview"></iframe>
  `;
}

function Publish({ path, draft, onPublished, onClose }) {
  const publish = useAction(async () => {
    await ask(`PUT ${path}`, draft);
    onPublished();
  });
  return html`
    <${Question} title=${text.publishTitle} submit=${text.publish} action=${publish} onClose=${onClose}>
      <p>${draft.state === "draft" ? text.publishDraft : text.publishText}</p>
      <//>
  `;
}
