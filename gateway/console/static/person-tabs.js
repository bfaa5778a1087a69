/** Tabs of a person's page that show: overview, fields, activity, consent. */
import { Copy, count, Empty, shown, Table, Time } from "./parts.js";
import { html, useState } from "./view.js";
import { words } from "./words.js";

const text = words.person;

export function Overview({ user }) {
  const { profile } = user;
  const { external_id: id, email, phone, user_aliases: aliases = [], apps = [], custom_events: events = [], purchases = [] } = profile;
  const times = [...events, ...purchases].flatMap(({ first, last }) => [first, last]);
  const seen = [...times, ...apps.flatMap((app) => [app.first_used, app.last_used])].filter((time) => typeof time === "string").toSorted();
  return html`
    <section class="card">
      <h2>${text.identifiers}</h2>
      <dl class="facts">
      ${fact(words.people.external_id, id && html`<${Copy} text=${id} what=${words.people.external_id} />`)}
      ${fact(words.people.email, email && html`<${Copy} text=${email} what=${words.people.email} />`)}
      ${fact(words.people.phone, phone && html`<${Copy} text=${phone} what=${words.people.phone} />`)}
      ${aliases.map((alias) => fact(`${words.people.user_alias}: ${alias.alias_label}`, alias.alias_name))}
      ${fact(words.people.made, html`<${Time} at=${user.created_at} />`)}
      ${fact(words.people.changed, html`<${Time} at=${user.updated_at} />`)}
      </dl>
    </section>
    <section class="card">
      <h2>${text.totals}</h2>
      <dl class="tiles">
      ${tile(text.revenue, profile.total_revenue === undefined ? "0" : count(profile.total_revenue))}
      ${tile(text.purchases, count(sum(purchases)))}${tile(text.events, count(sum(events)))}
      ${tile(text.firstSeen, html`<${Time} at=${seen[0]} />`)}${tile(text.lastSeen, html`<${Time} at=${seen.at(-1)} />`)}
      </dl>
    </section>
    <section class="card">
      <h2>${text.apps}</h2>
      <${Table} caption=${text.apps} empty=${text.noApps} rows=${apps} columns=${appColumns} />
    </section>
  `;
}

function fact(name, value) {
  return value
    ? html`
      <div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>
    `
    : null;
}

function tile(name, value) {
  return html`
    <div class="tile">
      <dt>${name}</dt>
      <dd>${value || "–"}</dd>
    </div>
  `;
}

function sum(list) {
  return list.reduce((total, { count: one }) => total + one, 0);
}

const appColumns = [
  [text.app, (row) => row.name],
  [text.sessions, (row) => count(row.sessions)],
  [text.first, (row) => html`<${Time} at=${row.first_used} />`],
  [text.last, (row) => html`<${Time} at=${row.last_used} />`],
];

/** Where a value came from is shown when it is asked for. */
export function Fields({ user }) {
  const [filter, setFilter] = useState("");
  const [withOrigin, setWithOrigin] = useState(false);
  const rows = user.fields.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  const columns = [
    [text.field, (row) =>
      html`<strong>${row.name}</strong>${
        row.custom
          ? html`
            <span class="tag">${text.custom}</span>
          `
          : ""
      }`],
    [text.value, (row) => html`<span class="value">${shown(row.value)}</span>`],
    ...(withOrigin ? [[text.setBy, (row) => html`<${Origin} by=${row.set_by} />`]] : []),
  ];
  return html`
    <section class="card">
      <p class="row"><input type="search" aria-label=${text.search} placeholder=${text.search} value=${filter} onInput=${(event) =>
        setFilter(event.target.value)} />
          <label class="check"><input id="origins" type="checkbox" checked=${withOrigin} onChange=${(event) =>
            setWithOrigin(event.target.checked)} /> ${text.showOrigins}</label></p>
      <${Table} caption=${text.tabs.fields} empty=${text.noFields} rows=${rows} keyOf=${(row) =>
        `${row.custom} ${row.name}`} columns=${columns} />
    </section>
  `;
}

/** Request, what it asked for, by whom, when. */
export function Origin({ by }) {
  if (by === undefined) return text.beforeKept;
  if (by.request_id === undefined) return text.tooOld(by.position);
  return html`<code>${by.request_id}</code> ${by.what}, ${by.actor}, <${Time} at=${by.time} />`;
}

export function Activity({ user: { profile } }) {
  return html`
    <section class="card">
      <h2>${text.events}</h2>
      <${Occurrences} rows=${profile.custom_events ?? []} name=${text.event} caption=${text.events} empty=${text.noEvents} />
    </section>
    <section class="card">
      <h2>${text.purchases}</h2>
      <${Occurrences} rows=${profile.purchases ?? []} name=${text.product} caption=${text.purchases}
        empty=${text.noPurchases} />
    </section>
  `;
}

function Occurrences({ rows, name, caption, empty }) {
  const most = Math.max(1, ...rows.map(({ count: times }) => times));
  return html`<${Table} caption=${caption} empty=${empty} rows=${rows.toSorted((a, b) => b.count - a.count)} keyOf=${(row) =>
    row.name} columns=${[
    [name, (row) => row.name],
    [text.times, (row) =>
      html`<span class="amount"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="all"
      width=${(row.count / most) * 100} height="8" /></svg> ${count(row.count)}</span>`],
    [text.first, (row) => html`<${Time} at=${row.first} />`],
    [text.last, (row) => html`<${Time} at=${row.last} />`],
  ]} />`;
}

export function Consent({ user: { consent } }) {
  if (consent === undefined) return html`<${Empty}>${text.consentAway}<//>`;
  return html`
    <section class="card">
      <${Table} caption=${text.consentOf} empty=${text.noConsent} rows=${consent.toReversed()} columns=${consentColumns} />
    </section>
  `;
}

const consentColumns = [
  [text.time, (row) => html`<${Time} at=${row.time} />`],
  [text.what, (row) => row.name ?? row.what],
  [text.change, (row) => `${row.before ?? text.nothing} → ${row.after ?? text.nothing}`],
  [text.of, (row) => row.subject],
  [text.request, (row) => html`<code>${row.request_id}</code>`],
];
