/** The state of what answers, in one line: green only where it serves and nothing waits for a human. */
import { addressOf } from "./address.js";
import { count } from "./parts.js";
import { html } from "./view.js";
import { words } from "./words.js";

const text = words.state;

/** `{ kind, told, waits }` of an overview: `good`, `warn` where all is served and something waits, `bad`; `isOld` where it could not be renewed. */
export function stateOf({ ready, reason, held_users: users = 0, set_aside: letters = 0 }, isOld) {
  const waits = users + letters;
  const told = ready ? text.ready : text.notReady;
  const kind = isOld || !ready ? "bad" : waits > 0 || reason ? "warn" : "good";
  // While all is served, the reason says that something waits
  if (ready && waits > 0) return { kind, told: text.waits(waits, users, letters), waits };
  return { kind, told: reason ? `${told}: ${reason}` : told, waits };
}

export function State({ overview: { data, error } }) {
  const { kind, told, waits } = stateOf(data, error !== undefined);
  return html`
    <p class=${`state ${kind}`}>${told}</p>
    ${waits > 0 && html`<p><a href=${addressOf("operations", "waiting")}>${text.show(count(waits))}</a></p>`}
  `;
}
