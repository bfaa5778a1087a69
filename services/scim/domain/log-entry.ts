/** What a request changed, in the words of the log. */
import { isSame } from "../../../platform/field-changes.ts";
import { type Fields, member } from "../../../platform/fields.ts";
import { limits } from "../../../platform/limits.ts";
import type { AttributeChange, Caller, LogEntry } from "./ports.ts";

export function logEntry(caller: Caller, at: number, of: Omit<LogEntry, "companyId" | "at" | keyof Sent>): LogEntry {
  const { companyId, requestId, tokenId, origin, method } = caller;
  return { companyId, at, requestId, tokenId, origin, method, target: cut(caller.target), ...of };
}

type Sent = Pick<LogEntry, "requestId" | "tokenId" | "origin" | "method" | "target">;

/** Attribute by attribute at the top level, without `meta`; a long value is cut. */
export function changesBetween(before: Fields | undefined, after: Fields | undefined): readonly AttributeChange[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].filter((name) => name !== "meta" && name !== "schemas").flatMap((attribute) => {
    const from = before && member(before, attribute);
    const to = after && member(after, attribute);
    if (isSame(from, to)) return [];
    return [{ attribute, ...(from === undefined ? {} : { from: bounded(from) }), ...(to === undefined ? {} : { to: bounded(to) }) }];
  });
}

function bounded(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text.length <= limits.scimLogValueCharsMax ? value : cut(text);
}

function cut(text: string): string {
  return text.length <= limits.scimLogValueCharsMax ? text : `${text.slice(0, limits.scimLogValueCharsMax)}...`;
}
