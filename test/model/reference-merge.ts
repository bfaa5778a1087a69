/** What a merge does to the two users, by the rules 4 to 7 of POST /users/merge. */
import { type ModelUser, nameOf } from "./reference-user.ts";

/** The target takes in the source: fills what it lacks, and has all that both did. */
export function takeIn(target: ModelUser, source: ModelUser): void {
  target.email ??= source.email;
  target.phone ??= source.phone;
  for (const [label, name] of source.aliases) {
    if (target.aliases.has(label)) continue;
    target.aliases.set(label, name);
    target.names.add(nameOf({ by: "alias", label, name }));
  }
  for (const [name, value] of source.fields) if (!target.fields.has(name)) target.fields.set(name, value);
  for (const [name, value] of source.custom) if (!target.custom.has(name)) target.custom.set(name, value);
  target.events.push(...source.events);
  target.purchases.push(...source.purchases);
  target.reports.push(...source.reports);
}

export function copyUser(user: ModelUser): ModelUser {
  return structuredClone(user);
}
