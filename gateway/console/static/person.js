/** A person's page: who it is, and tabs with an address each. */
import { addressOf } from "./address.js";
import { ask, may } from "./ask.js";
import { useAction, useAsked } from "./live-data.js";
import { Copy, Empty, Fresh, Json, Notice, Question, saveFile, Title } from "./parts.js";
import { nameOf } from "./people.js";
import { Activity, Consent, Fields, Overview } from "./person-tabs.js";
import { Merges } from "./person-merges.js";
import { html, useState } from "./view.js";
import { words } from "./words.js";

const text = words.person;
const tabs = { overview: Overview, fields: Fields, activity: Activity, consent: Consent, merges: Merges, json: AsJson };

export function Person({ session, address: [id = "", tab = "overview"] }) {
  const asked = useAsked("POST /console/users", { body: { platform_id: id } });
  const wasRemoved = history.state?.removed === id;
  return html`<${Fresh} asked=${asked}>${({ users: [user] }) =>
    user === undefined
      ? html`<${Title}>${words.people.title}<//>${
        wasRemoved ? html`<${Notice} kind="good">${text.removed}<//>` : html`<${Empty}>${text.gone}<//>`
      }<p><a href=${addressOf("people")}>${words.people.title}</a></p>`
      : html`<${Found} session=${session} user=${user} id=${id} tab=${tab} asked=${asked} />`}<//>`;
}

function Found({ session, user, id, tab, asked }) {
  const Tab = tabs[tab] ?? Overview;
  return html`
    <p class="path"><a href=${addressOf("people")}>${words.people.title}</a></p>
    <div class="title">
      <${Title}>${nameOf(user.profile)}<//>
      <${Doings} session=${session} user=${user} asked=${asked} />
    </div>
    <p>
      <${Copy} text=${user.platform_id} what=${words.people.platform_id} />
    </p>
    ${user.platform_id !== id.toLowerCase() && html`<${Notice} kind="info">${text.merged}<//>`}
    ${user.held && html`<${Notice}>${text.held}<//>`}
    ${user.dropped && html`<${Notice}>${text.dropped(user.dropped.count)}<//>`}
    <nav class="tabs" aria-label=${nameOf(user.profile)}>
      <ul>${Object.keys(tabs).map((name) =>
        html`<li><a href=${addressOf("people", id, name)} aria-current=${tabs[name] === Tab ? "page" : undefined}>${
          text.tabs[name]
        }</a></li>`
      )}</ul>
    </nav>
    <div id="person">
      <${Tab} session=${session} user=${user} asked=${asked} />
    </div>
  `;
}

function AsJson({ user }) {
  return html`
    <section class="card">
      <${Json} value=${user.profile} />
    </section>
  `;
}

/** What can be done with the person. */
function Doings({ session, user, asked }) {
  const [removing, setRemoving] = useState(false);
  const exporting = useAction(async () => {
    const { users } = await ask("POST /users/export/ids", { braze_id: user.platform_id });
    saveFile(`${user.platform_id}.json`, "application/json", JSON.stringify(users[0] ?? user.profile, null, 2));
  });
  const removal = useAction(async () => {
    await ask("POST /users/delete", { platform_ids: [user.platform_id] });
    history.replaceState({ removed: user.platform_id }, "");
    setRemoving(false);
    asked.again();
  });
  return html`<span class="row">
    ${
    may(session, "users.export.ids") &&
    html`<button type="button" id="export" onClick=${exporting.run} disabled=${exporting.busy}>${text.exportIt}</button>`
  }
    ${
    may(session, "users.delete") && html`<button type="button" id="remove" class="bad" onClick=${() =>
      setRemoving(true)}>${text.remove}</button>`
  }
    </span><${Notice} error=${exporting.error} />
    ${
    removing && html`
      <${Question} title=${text.removeTitle} submit=${text.removeConfirm} kind="bad" action=${removal} onClose=${() => setRemoving(false)}>
        <p><strong>${nameOf(user.profile)}</strong></p>
        <p>${text.removeText}</p>
        <//>
    `
  }`;
}
