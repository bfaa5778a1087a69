/** Parameters that reads of addresses share. */
import { limits } from "../../../platform/limits.ts";
import { list, type Schema, text, whole } from "../schemas/schema.ts";
import type { Parameter } from "./entry.ts";

/** `name`, or `name[]` repeated. */
export function manyOf(name: string, description: string): Parameter {
  return {
    in: "query",
    name,
    description: `${description} Repeat it, or send \`${name}[]\`, for up to ${limits.itemsPerRequestMax}.`,
    schema: list(text(), undefined, { maxItems: limits.itemsPerRequestMax }),
  };
}

/** Dates and pages of the lists of addresses. */
export const pageParameters: readonly Parameter[] = [
  {
    in: "query",
    name: "start_date",
    description: "Midnight UTC of the day. Needed, with `end_date`, where no address is named.",
    schema: day(),
  },
  { in: "query", name: "end_date", description: "Midnight UTC of the day, which is itself no longer in.", schema: day() },
  {
    in: "query",
    name: "limit",
    description: "Most results.",
    schema: whole(undefined, { minimum: 1, maximum: limits.addressesPageMax, default: limits.addressesPageDefault }),
  },
  { in: "query", name: "offset", description: "Results to skip.", schema: whole(undefined, { minimum: 0, default: 0 }) },
];

function day(): Schema {
  return text(undefined, { format: "date" });
}
