/** Users as reads name them: by external ids, emails and phones. */
import type { UserKey } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { takeAll } from "./elements.ts";
import { invalid } from "./fields.ts";
import { emailOf, externalIdOf, keyOf, phoneOf } from "./identifiers.ts";
import { checkCount } from "./lists.ts";
import type { Query } from "./query.ts";

export interface NamedUser {
  /** As the client wrote it. */
  readonly sent: string;
  readonly key: UserKey;
}

export interface NamedUsers {
  readonly ids: readonly NamedUser[];
  readonly emails: readonly NamedUser[];
  readonly phones: readonly NamedUser[];
}

/** With an external id, an email or phone beside it is not looked at. Throws as namedUsersOf does. */
export function idsOrAddressesOf(query: Query): NamedUsers {
  const isById = query.has("external_id");
  return namedUsersOf(isById ? new Map([...query].filter(([name]) => name !== "email" && name !== "phone")) : query);
}

/** At least one, at most fifty of each. Throws INPUT_INVALID, BATCH_TOO_LARGE. */
export function namedUsersOf(query: Query): NamedUsers {
  const ids = query.get("external_id") ?? [];
  const emails = query.get("email") ?? [];
  const phones = query.get("phone") ?? [];
  for (const list of [ids, emails, phones]) checkCount(list);
  if (ids.length + emails.length + phones.length === 0) throw invalid("One of 'external_id', 'email' or 'phone' is required");
  return {
    ids: takeAll(ids, "external_id", (sent) => ({ sent, key: keyOf({ case: "externalId", value: externalIdOf(sent) }) })),
    emails: takeAll(emails, "email", (sent) => ({ sent, key: keyOf({ case: "email", value: emailOf(sent) }) })),
    phones: takeAll(phones, "phone", (sent) => ({ sent, key: keyOf({ case: "phone", value: phoneOf(sent) }) })),
  };
}
