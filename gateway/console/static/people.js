/** Finding people: by any identifier, and all of them in pages. */
import { addressOf, go, useKept } from "./address.js";
import { ask } from "./ask.js";
import { useAction, useAsked } from "./live-data.js";
import { count, Empty, Fresh, Notice, Table, Time, Title } from "./parts.js";
import { html, useEffect, useState } from "./view.js";
import { words } from "./words.js";

const text = words.people;
const kinds = ["guess", "email", "phone", "external_id", "user_alias", "platform_id"];

export function People() {
  return html`
    <${Title}>${text.title}<//>
    <section class="card">
      <${Finder} />
    </section>
    <${Everyone} />
  `;
}

/** One person found is shown at once; several are listed. What was typed is in no address and outlives a reload. */
export function Finder() {
  const [asked, setAsked] = useState(() => history.state?.finder ?? { by: "guess", name: "", label: "" });
  const find = useAction(async () => {
    history.replaceState({ ...history.state, finder: asked }, "");
    const found = await findPeople(asked);
    if (found.length === 1) go("people", found[0].platform_id);
    return found;
  });
  function submit(event) {
    event.preventDefault();
    void find.run();
  }
  function set(name) {
    return (event) => setAsked({ ...asked, [name]: event.target.value });
  }
  const begins = useAsked(...beginning(useSoon(asked)));
  return html`
    <form id="find" role="search" autocomplete="off" onSubmit=${submit}>
      <label for="name">${words.home.find}</label>
      <div class="row">
        <select id="by" aria-label=${text.by} value=${asked.by} onChange=${set("by")}>${kinds.map((kind) =>
          html`<option value=${kind}>${text[kind]}</option>`
        )}</select>
        ${asked.by === "user_alias" &&
          html`<input id="label" required aria-label=${text.label} placeholder=${text.label} value=${asked.label} onInput=${
            set("label")
          } />`}
        <input id="name" required spellcheck="false" placeholder=${text.placeholder} aria-label=${text.identifier} value=${asked
          .name} onInput=${set("name")} />
        <button type="submit" class="main" disabled=${find.busy}>${text.find}</button>
      </div>
    </form>
    <${Notice} error=${find.error} />
    <div id="found" role="status">${find.done?.length === 0 ? html`<${Empty}>${text.nobody}<//>` : find.done?.length > 1 &&
      html`<${Table} hint=${text.several(find.done.length)} rows=${find.done} keyOf=${(row) =>
        row.platform_id} columns=${columns} />`}</div>
    <${Begins} asked=${begins} by=${asked.by} />
  `;
}

const soonMs = 250;
const charactersMin = 2;

/** The value once it has stayed the same for a moment. */
function useSoon(value) {
  const [soon, setSoon] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSoon(value), soonMs);
    return () => clearTimeout(timer);
  }, [value]);
  return soon;
}

/** What is asked while somebody types: whose name begins so. */
function beginning({ by, name, label }) {
  const typed = name.trim();
  if (typed.length < charactersMin || by === "platform_id" || (by === "user_alias" && label === "")) return [undefined];
  const kind = by === "guess" ? {} : { by, ...(by === "user_alias" && { alias_label: label.trim() }) };
  return ["POST /console/people/search", { body: { ...kind, starts_with: typed } }];
}

function Begins({ asked: { data, error }, by }) {
  if (error) return html`<${Notice} error=${error} />`;
  if (data === undefined) return null;
  const rows = data.found.flatMap(({ users, ...name }) => users.map((user) => ({ ...user, ...name })));
  const hasMore = data.next_page_token !== undefined || (by === "guess" && rows.length > 0);
  return html`<div id="begins"><p class="unseen" role="status">${text.begin(data.found.length)}</p>
    ${
    rows.length > 0 && html`<${Table} hint=${text.beginHint} rows=${rows} keyOf=${(row) =>
      `${row.by} ${row.name} ${row.platform_id}`} columns=${beginsColumns} />`
  }
    ${hasMore && html`<p class="quiet">${by === "guess" ? text.moreByKind : text.moreByTyping}</p>`}</div>`;
}

async function findPeople({ by, name, label }) {
  const typed = name.trim();
  if (by === "user_alias") {
    return (await ask("POST /console/users", { user_alias: { alias_name: typed, alias_label: label.trim() } })).users;
  }
  if (by !== "guess") return (await ask("POST /console/users", { [by]: typed })).users;
  const answers = await Promise.all(
    guesses(typed).map((kind) =>
      ask("POST /console/users", { [kind]: typed }).catch((error) => {
        // What cannot be an address of that kind is nobody's
        if (error.status === 400) return { users: [] };
        throw error;
      })
    ),
  );
  const found = new Map(answers.flatMap(({ users }) => users).map((user) => [user.platform_id, user]));
  return [...found.values()];
}

/** What the text could be; an external id can be any text. */
function guesses(typed) {
  return [
    "external_id",
    ...(typed.includes("@") ? ["email"] : []),
    ...(/^\+?[\d ().-]{5,}$/.test(typed) ? ["phone"] : []),
    ...(/^[0-9a-f]{24}$/i.test(typed) ? ["platform_id"] : []),
  ];
}

const columns = [
  [text.person, (row) => html`<a href=${addressOf("people", row.platform_id)}>${nameOf(row.profile)}</a>`],
  [text.external_id, (row) => row.profile.external_id ?? ""],
  [text.email, (row) => row.profile.email ?? ""],
  [text.made, (row) => html`<${Time} at=${row.created_at} />`],
  [text.changed, (row) => html`<${Time} at=${row.updated_at} />`],
];

/** How many people the workspace has, as the series know it. */
export function Total({ users }) {
  if (users === undefined) return null;
  return html`<p id="total"><strong>${text.total(users.count)}</strong> <span class="quiet">${text.countedSince} <${Time}
        at=${users.counted_since} /></span></p>`;
}

/** What a person is called: never empty. */
export function nameOf({ first_name: first, last_name: last, email, external_id: id, phone, user_aliases: aliases = [] }) {
  const full = [first, last].filter((part) => typeof part === "string" && part !== "").join(" ");
  return full || email || id || phone || aliases[0]?.alias_name || words.person.nameless;
}

function Everyone() {
  const [{ list, group = "", page }, show] = useKept("people", { list: "newest", page: "" });
  const isOfGroup = list === "subscribed" || list === "unsubscribed";
  const groups = useAsked(isOfGroup ? "GET /console/groups" : undefined);
  const chosen = isOfGroup ? group || groups.data?.groups[0]?.id : undefined;
  const { data: counted } = useAsked("GET /console/series");
  return html`
    <section class="card" id="people">
      <div class="title"><h2>${text.list}</h2>
        <div class="row"><select id="list" aria-label=${text.which} value=${list} onChange=${(event) =>
          show({ list: event.target.value, group, page: "" })}>${Object.entries(text.lists).map(([name, shown]) =>
            html`<option value=${name}>${shown}</option>`
          )}</select>
          ${isOfGroup &&
            html`<${Groups} asked=${groups} chosen=${chosen} choose=${(id) => show({ list, group: id, page: "" })} />`}</div></div>
      <${Total} users=${counted?.users} />
      ${isOfGroup && !chosen
        ? groups.data && html`<${Empty}>${text.noGroups}<//>`
        : html`<${Listed} list=${list} group=${chosen} page=${page} turnTo=${(next) => show({ list, group, page: next })} />`}</section>
  `;
}

function Listed({ list, group, page, turnTo }) {
  const asked = useAsked("POST /console/people", {
    body: { list, ...(group && { group_id: group }), ...(page !== "" && { page_token: page }) },
  });
  return html`<${Fresh} asked=${asked}>${({ users, next_page_token: next, looked_at: lookedAt }) =>
    html`
      <${Table} caption=${text.lists[list]} empty=${nobodyOf[list] ?? text.noPeople} rows=${users} keyOf=${(row) =>
        row.platform_id} columns=${listColumns} />
      ${isWhole(list) && users.length > 0 && page === "" && !next && html`
        <p class="quiet" id="listed">${text.total(users.length)}</p>
      `}
      ${lookedAt > 0 && html`<p class="quiet">${text.lookedAt(lookedAt)}</p>`}
      <p class="row">${page !== "" && html`<button type="button" onClick=${() => turnTo("")}>${text.first}</button>`}
        ${next && html`<button type="button" id="next" onClick=${() => turnTo(next)}>${text.next}</button>`}</p>
    `}<//>`;
}

/** Its first page, where there is no other, has everybody who is on the list. */
function isWhole(list) {
  return ["blocked", "subscribed", "unsubscribed"].includes(list);
}

const nobodyOf = { blocked: text.noBlocked, changed: text.noChanges, subscribed: text.noMembers, unsubscribed: text.noMembers };

function Groups({ asked: { data, error }, chosen, choose }) {
  if (error) return html`<${Notice} error=${error} />`;
  if (!data?.groups.length) return null;
  return html`<select id="group" aria-label=${text.group} value=${chosen} onChange=${(event) => choose(event.target.value)}>${
    data.groups.map(({ id, name, archived }) => html`<option value=${id}>${archived ? text.archived(name) : name}</option>`)
  }</select>`;
}

const beginsColumns = [
  [text.foundBy, (row) => html`<span class="value">${row.name}</span> <span class="tag">${text[row.by]}</span>`],
  [text.person, (row) =>
    html`<a href=${addressOf("people", row.platform_id)}>${nameOf(row)}</a>${
      row.count > 1
        ? html`
          <span class="quiet">${text.shared(row.count)}</span>
        `
        : ""
    }`],
  [text.made, (row) => html`<${Time} at=${row.created_at} />`],
];

const listColumns = [
  [text.person, (row) => html`<a href=${addressOf("people", row.platform_id)}>${nameOf(row)}</a>`],
  [text.external_id, (row) => row.external_id ?? ""],
  [text.email, (row) => row.email ?? ""],
  [text.made, (row) => html`<${Time} at=${row.created_at} />`],
  [text.changed, (row) => html`<${Time} at=${row.updated_at} />`],
  [words.person.purchases, (row) => count(row.purchases)],
];
