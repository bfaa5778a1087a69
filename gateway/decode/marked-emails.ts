/** `email` of the routes that mark addresses or lift marks: one address or up to fifty. */
import { bodyFields, invalid } from "./fields.ts";
import { emailOf } from "./identifiers.ts";
import { oneOrMany } from "./lists.ts";

export function markedEmails(body: Uint8Array): string[] {
  const emails = oneOrMany(bodyFields(body)["email"], "email", emailOf);
  if (emails.length === 0) throw invalid("'email' is required");
  return emails;
}
