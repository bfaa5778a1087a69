/** What a declaration changes of a thing, as messages: values as JSON, long texts cut to where they begin to differ. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FieldChange } from "../../../platform/field-changes.ts";
import { limits } from "../../../platform/limits.ts";
import type { FieldChangeSchema } from "../../../proto/gen/heddle/content/v1/field_change_pb.ts";

export function fieldChangeMessages(changes: readonly FieldChange[] = []): MessageInitShape<typeof FieldChangeSchema>[] {
  return changes.map(({ field, from, to }) => {
    const begin = Math.max(0, firstDifference(from, to) - charsBefore);
    return { field, from: jsonFrom(from, begin), to: jsonFrom(to, begin) };
  });
}

/** Of a text what stands before the difference too. */
const charsBefore = 20;

function firstDifference(from: unknown, to: unknown): number {
  if (typeof from !== "string" || typeof to !== "string") return 0;
  if (Math.max(from.length, to.length) <= limits.fieldChangeCharsMax) return 0;
  let at = 0;
  while (at < from.length && from[at] === to[at]) at += 1;
  return at;
}

function jsonFrom(value: unknown, begin: number): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  const end = begin + limits.fieldChangeCharsMax;
  return JSON.stringify(`${begin > 0 ? "..." : ""}${value.slice(begin, end)}${value.length > end ? "..." : ""}`);
}
