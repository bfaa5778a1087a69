/** The console: who is signed in, which view is at the address, and the frame around it. */
import { Actions } from "./actions.js";
import { addressOf, useAddress } from "./address.js";
import { ask, may, onSignedOut } from "./ask.js";
import { Declaration } from "./declaration.js";
import { Home } from "./home.js";
import { Keys } from "./keys.js";
import { Limits } from "./limits.js";
import { Live } from "./live.js";
import { Operations } from "./operations.js";
import { Empty, Notice, Title } from "./parts.js";
import { Pages } from "./pages.js";
import { People } from "./people.js";
import { Person } from "./person.js";
import { SessionView, SignIn } from "./session.js";
import { Translations } from "./translations.js";
import { html, render, useEffect, useState } from "./view.js";
import { words } from "./words.js";

/** By the first part of the address, whose second part a view that `stays` follows by itself; `permission` beside `console.view`, which whoever is signed in has. */
const views = [
  { name: "home", view: Home },
  { name: "live", view: Live, stays: true },
  { name: "people", view: People },
  { name: "pages", view: Pages, permission: "preference_center.list" },
  { name: "translations", view: Translations },
  { name: "keys", view: Keys, permission: "console.keys" },
  { name: "limits", view: Limits },
  { name: "declaration", view: Declaration, permission: "console.keys" },
  { name: "actions", view: Actions, permission: "console.keys" },
  { name: "operations", view: Operations, stays: true, permission: "console.operate" },
  { name: "session", view: SessionView },
];

function Console() {
  const [session, setSession] = useState();
  const [why, setWhy] = useState("");
  const address = useAddress();
  useEffect(() => {
    onSignedOut(() => {
      setSession((before) => {
        // Nobody was signed in: there is nothing to explain
        if (before) setWhy(words.signIn.over);
        return null;
      });
    });
    ask("GET /console/session").then(setSession, (error) => {
      if (error.status === 401) return;
      setWhy(error.message);
      setSession(null);
    });
  }, []);
  if (session === undefined) {
    return html`
      <main id="content">
        <p class="quiet">${words.loading}</p>
      </main>
    `;
  }
  if (session === null) {
    return html`
      <${Frame}>
        <main id="content" class="narrow">
          <${SignIn} why=${why} onSignedIn=${(opened) => {
            setWhy("");
            setSession(opened);
          }} />
        </main>
        <//>
    `;
  }
  return html`
    <${Frame} session=${session} current=${address[0] ?? "home"}>
      <${View} session=${session} address=${address} />
      <//>
  `;
}

function View({ session, address }) {
  const [name = "home", ...rest] = address;
  const found = views.find((one) => one.name === name);
  const shown = found?.name === "people" && rest.length > 0 ? { ...found, view: Person } : found;
  const place = address.slice(0, 2).join("/");
  useEffect(() => {
    document.title = `${words.views[name] ?? words.unknownView} · ${words.console}`;
  }, [name]);
  return html`<main id="content">${
    shown === undefined
      ? html`
        <${Title}>${words.unknownView}<//>
        <${Empty}>${words.nowhere}<//>
      `
      : shown.permission !== undefined && !may(session, shown.permission)
      ? html`
        <${Title}>${words.views[name]}<//>
        <${Notice}>${words.notAllowed(shown.permission)}<//>
      `
      : html`<${shown.view} key=${shown.stays ? name : place} session=${session} address=${rest} />`
  }</main>`;
}

function Frame({ session, current, children }) {
  return html`
    <a class="skip" href="#content" onClick=${skip}>${words.skip}</a>
    <header class="bar">
      <a class="name" href="#/">${words.name}</a>
      ${session && html`<span class="where">${session.workspace.company} / ${session.workspace.name}</span>`}
      <span class="tools"><a href="/docs">${words.documents}</a>
        <button type="button" onClick=${switchTheme} aria-label=${words.light} title=${words.light}>◐</button></span>
    </header>
    <div class=${session ? "columns" : ""}>
      ${session && html`
        <nav aria-label=${words.menu}>
          <ul>${views.filter(({ permission }) => permission === undefined || may(session, permission)).map(({ name }) =>
            html`<li><a href=${addressOf(name)} aria-current=${current === name ? "page" : undefined}>${words.views[name]}</a></li>`
          )}</ul>
        </nav>
      `}
      ${children}
    </div>
  `;
}

/** The address is the view's, so the jump is made by hand. */
function skip(event) {
  event.preventDefault();
  document.querySelector("#content h1")?.focus();
}

function switchTheme() {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const next = (document.documentElement.dataset.theme ?? (isDark ? "dark" : "light")) === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("theme", next);
}

const chosen = localStorage.getItem("theme");
if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
const root = document.getElementById("app");
root.replaceChildren();
render(html`<${Console} />`, root);
