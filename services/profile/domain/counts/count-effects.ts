/** What charts count of records that were resolved: their effects alone, whatever was asked. */
import { type Count, type CountName, plus } from "./count-rows.ts";
import type { ConsentRecord } from "../ports.ts";
import type { ProfileChange } from "../profile/profile-record.ts";
import type { ResolvedRecord } from "../resolve/batch.ts";

/** A repeat of a request and an object that matched no user have no effects, so they count nothing. */
export function countEffects(records: readonly ResolvedRecord[]): Map<CountName, Count> {
  const counts = new Map<CountName, Count>();
  function add(name: CountName, count: Count): void {
    counts.set(name, plus(counts.get(name) ?? 0, count));
  }
  for (const { objects = 0, profiles, consent } of records) {
    if (objects > 0) add("objects:", objects);
    for (const { change } of profiles) countChange(change, add);
    for (const record of consent) countConsent(record, add);
  }
  return counts;
}

type Add = (name: CountName, count: Count) => void;

function countChange(change: ProfileChange, add: Add): void {
  switch (change.type) {
    case "event":
      return add(`events:${change.name}`, 1);
    case "purchase":
      add("purchases:", change.quantity);
      return add(`revenue:${change.currency}`, change.revenueCents);
    case "create":
      return add("users:new", 1);
    case "delete":
      return add("users:deleted", 1);
    case "await":
      return add("users:merged", 1);
    case "undo":
      return add("users:unmerged", 1);
  }
}

/** What was set, whether it was so before or not. */
function countConsent(record: ConsentRecord, add: Add): void {
  switch (record.type) {
    case "membership":
      return add(`consent:group_${record.state}`, 1);
    case "memberships":
      return add(`consent:group_${record.state}`, record.userIds.length);
    case "emailStatus":
      return add(`consent:email_${record.status}`, 1);
    case "emailMark":
      return add(`consent:email_${record.mark}`, 1);
    case "phoneMark":
      return add(`consent:phone_${record.mark}`, 1);
  }
}
