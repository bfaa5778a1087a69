/** Tabs of a person's page that show: overview, fields, activity, consent. */
import { useKept } from "./address.js";
import { Copy, count, Empty, Notice, shown, Table, Tile, Time } from "./parts.js";
import { html } from "./view.js";
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
      ${aliases.map((alias) =>
        fact(
          `${words.people.user_alias}: ${alias.alias_label}`,
          html`
            <${Copy} text=${alias.alias_name} what=${words.people.user_alias} />
          `,
        )
      )}
      ${fact(words.people.made, html`<${Time} at=${user.created_at} />`)}
      ${fact(words.people.changed, html`<${Time} at=${user.updated_at} />`)}
      </dl>
    </section>
    <section class="card">
      <h2>${text.totals}</h2>
      <dl class="tiles">
        <${Tile} name=${text.revenue}>${count(profile.total_revenue)}<//>
        <${Tile} name=${text.purchases}>${count(sum(purchases))}<//>
        <${Tile} name=${text.events}>${count(sum(events))}<//>
        <${Tile} name=${text.firstSeen}>${seen[0] ? html`<${Time} at=${seen[0]} />` : "–"}<//>
        <${Tile} name=${text.lastSeen}>${seen[0] ? html`<${Time} at=${seen.at(-1)} />` : "–"}<//>
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

function sum(list) {
  return list.reduce((total, { count: one }) => total + one, 0);
}

const appColumns = [
  [text.app, (row) => row.name],
  [text.sessions, (row) => count(row.sessions)],
  [text.first, (row) => html`<${Time} at=${row.first_used} />`],
  [text.last, (row) => html`<${Time} at=${row.last_used} />`],
];

/** Where values came from is shown when it is asked for, each request once. */
export function Fields({ user }) {
  const [filter, setFilter] = useKept("fields", "");
  const [withOrigin, setWithOrigin] = useKept("origins", false);
  const rows = user.fields.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  const byRequest = Map.groupBy(rows, ({ set_by: by }) => by?.position ?? -1);
  const newest = [...byRequest].toSorted(([a], [b]) => b - a);
  return html`
    <section class="card">
      <p class="row"><input type="search" aria-label=${text.search} placeholder=${text.search} value=${filter} onInput=${(event) =>
        setFilter(event.target.value)} />
          <label class="check"><input id="origins" type="checkbox" checked=${withOrigin} onChange=${(event) =>
            setWithOrigin(event.target.checked)} /> ${text.showOrigins}</label></p>
      ${withOrigin && rows.length > 0
        ? newest.map(([position, own]) =>
          html`
            <div key=${position} class="request">
              <p class="origin">
                <${Origin} by=${own[0].set_by} />
              </p>
              <${FieldTable} caption=${text.ofRequest} rows=${own} />
            </div>
          `
        )
        : html`<${FieldTable} caption=${text.tabs.fields} rows=${rows} />`}
    </section>
  `;
}

function FieldTable({ caption, rows }) {
  return html`<${Table} caption=${caption} empty=${text.noFields} rows=${rows} keyOf=${(row) =>
    `${row.custom} ${row.name}`} columns=${fieldColumns} />`;
}

const fieldColumns = [
  [text.field, (row) =>
    html`<strong>${row.name}</strong>${
      row.custom
        ? html`
          <span class="tag">${text.custom}</span>
        `
        : ""
    }`],
  [text.value, (row) => html`<span class="value">${shown(row.value)}</span>`],
];

/** When, what was asked for, by whom, and the request. */
export function Origin({ by }) {
  if (by === undefined) return text.beforeKept;
  if (by.request_id === undefined) return text.tooOld(by.position);
  return html`<${Time} at=${by.time} /> ${
    text.byRequest(by.what, by.actor_name ?? by.actor)
  } <${Copy} text=${by.request_id} what=${text.request} />`;
}

export function Activity({ user: { profile, days } }) {
  return html`
    <section class="card">
      <h2>${text.perDay}</h2>
      ${days.length === 0 ? html`<${Empty}>${text.noDays}<//>` : html`<${Days} days=${days} />`}
    </section>
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

const chart = { width: 600, height: 80 };
const dayMs = 86_400_000;

/** A bar for each day from the first on which something happened, those without anything among them. */
function Days({ days }) {
  const first = Date.parse(days[0].date);
  const slots = Math.round((Date.parse(days.at(-1).date) - first) / dayMs) + 1;
  const most = Math.max(...days.flatMap(({ events, purchases }) => [events, purchases]));
  const width = chart.width / slots;
  function bar(name, half, { date, [name]: amount }) {
    const height = (amount / most) * chart.height;
    const x = Math.round((Date.parse(date) - first) / dayMs) * width + half * width * 0.45;
    return html`<rect class=${name} x=${x} y=${chart.height - height} width=${width * 0.4} height=${height} />`;
  }
  const told = text.perDayTold(words.days(days.length), most);
  return html`
    <figure id="days">
      <svg viewBox=${`0 0 ${chart.width} ${chart.height}`} preserveAspectRatio="none" role="img" aria-label=${`${text.perDay}: ${told}`}>
        ${days.map((day) => bar("events", 0, day))}${days.map((day) => bar("purchases", 1, day))}</svg>
      <figcaption><span class="key events">${text.events}</span> <span class="key purchases">${text.purchases}</span> ${told}</figcaption>
      <details>
        <summary>${words.home.asTable}</summary>
        <${Table} caption=${text.perDay} rows=${days.toReversed()} keyOf=${(row) => row.date} columns=${dayColumns} />
      </details>
    </figure>
  `;
}

const dayColumns = [
  [text.day, (row) => row.date],
  [text.events, (row) => count(row.events)],
  [text.purchases, (row) => count(row.purchases)],
];

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

/** The states as they are, and below how they came to be. */
export function Consent({ user: { consent, consent_chains: chains } }) {
  if (consent === undefined) return html`<${Empty}>${text.consentAway}<//>`;
  const newest = consent.toReversed();
  const now = [...Map.groupBy(newest, ({ subject, what }) => `${subject} ${what}`).values()].map(([last]) => last);
  return html`
    <${Checked} chains=${chains} />
    <section class="card">
      <h2>${text.consentNow}</h2>
      <${Table} caption=${text.consentNow} empty=${text.noConsent} rows=${now} columns=${nowColumns} />
    </section>
    ${newest.length > 0 && html`
      <section class="card">
        <h2>${text.consentOf}</h2>
        <ol class="timeline">${newest.map((entry) =>
          html`
            <li key=${entry.hash}>
              <${Change} entry=${entry} />
            </li>
          `
        )}</ol>
      </section>
    `}
  `;
}

function Checked({ chains }) {
  if (chains === undefined) return html`<${Notice} kind="info">${text.notChecked}<//>`;
  const { checked, damage } = chains;
  if (damage.length === 0) return html`<${Notice} kind="good">${text.chains(checked)}<//>`;
  return damage.map((one) =>
    html`
      <${Notice}>${text.damaged(one)}<//>
    `
  );
}

function Change({ entry }) {
  const { what, name, before, after, kind, subject, index, time, actor, actor_name: actorName, request_id: request, hash } = entry;
  return html`
    <p><strong>${name ?? text.consentNames[what] ?? what}</strong> ${text.became(before ?? text.nothing, after ?? text.nothing)}</p>
    <p class="quiet"><${Time} at=${time} /> · ${text.byRequest(text.kinds[kind] ?? kind, actorName ?? actor)} · ${subject} · <span
          title=${hash}>${text.entry(index)}</span> <${Copy} text=${request} what=${text.request} /></p>
  `;
}

const nowColumns = [
  [text.what, (row) => row.name ?? text.consentNames[row.what] ?? row.what],
  [text.state, (row) => row.after ?? text.nothing],
  [text.of, (row) => row.subject],
  [text.since, (row) => html`<${Time} at=${row.time} />`],
];
