/** What a record says that waits for a human: as JSON, or its bytes where nobody can read it. It holds what was sent of people. */
import { useAsked } from "./live-data.js";
import { count, Fresh, Json } from "./parts.js";
import { html } from "./view.js";
import { words } from "./words.js";

const text = words.waiting;

/** `row` as GET /console/log shows it. */
export function WaitingRecord({ row }) {
  return html`
    <${Fresh} asked=${useAsked("POST /console/log/records", { body: { records: [placeOf(row)] } })}>${({ records: [record] }) =>
      html`
        ${record.record === undefined ? html`<p>${text.unread}</p>` : html`<${Json} value=${record.record} />`}
        <p class="quiet">${text.bytes(count(record.bytes))} <code class="bytes">${record.first_bytes}</code></p>
      `}<//>
  `;
}

/** What names a record, without what is told of it. */
export function placeOf({ lane, partition, workspace_id, platform_id, at }) {
  return { lane, partition, workspace_id, platform_id, at };
}
