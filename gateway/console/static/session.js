/** Signing in with a key, and out again. */
import { ask } from "./ask.js";
import { useAction } from "./live-data.js";
import { Notice, Time, Title } from "./parts.js";
import { html, useRef } from "./view.js";
import { words } from "./words.js";

/** Cookies that are marked as secure are not kept by a page that came without TLS. */
function secure() {
  return { secure: location.protocol === "https:" };
}

export function SignIn({ why, onSignedIn }) {
  const field = useRef();
  const signIn = useAction(async () => {
    const key = field.current.value.trim();
    const opened = await ask("POST /console/session", secure(), { key });
    field.current.value = "";
    onSignedIn(opened);
  });
  function submit(event) {
    event.preventDefault();
    void signIn.run();
  }
  return html`
    <${Title}>${words.signIn.title}<//>
    <${Notice}>${signIn.error?.message ?? why}<//>
    <form id="enter" class="card" autocomplete="off" onSubmit=${submit}>
      <label for="key">${words.signIn.label}</label>
      <div class="row"><input id="key" ref=${field} type="password" autocomplete="off" spellcheck="false" required autofocus
        aria-describedby="key-hint" /><button type="submit" class="main" disabled=${signIn.busy}>${words.signIn.submit}</button></div>
      <p id="key-hint" class="quiet">${words.signIn.hint}</p>
      <p class="quiet">${words.signIn.first} <code>${words.signIn.make}</code></p>
    </form>
  `;
}

export function SessionView({ session }) {
  const leave = useAction(async (path) => {
    await ask(`POST ${path}`, secure());
    location.hash = "";
    location.reload();
  });
  return html`
    <${Title}>${words.views.session}<//>
    <${Notice} error=${leave.error} />
    <section class="card">
      <p>${words.session.as(session.key.name)} <code>${session.key.id}</code></p>
      <p>${words.session.until} <${Time} at=${session.expires_at} /></p>
      <p>${words.session.may}: ${session.key.permissions.map((name) =>
        html`
          <code class="tag">${name}</code>
        `
      )}</p>
      <div class="row">
        <button type="button" class="main" id="leave" onClick=${() => leave.run("/console/session/end")}>${words.session.out}</button>
        <button type="button" id="leave-all" onClick=${() => leave.run("/console/session/end-all")}>${words.session.everywhere}</button>
      </div>
      <p class="quiet">${words.session.everywhereHint}</p>
    </section>
  `;
}
