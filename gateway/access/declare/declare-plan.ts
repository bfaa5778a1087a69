/** What planning a declaration collects: writes, what to report, secrets made, problems. */
import { isDeepStrictEqual } from "node:util";

import { type FieldChange, fieldChanges } from "../../../platform/field-changes.ts";
import type { Problem } from "../declaration/declaration-reader.ts";
import { type PutWrite, rowName } from "../row-set.ts";
import type { AccessRows, AccessWrite } from "../rows.ts";

/** One thing that a declaration names (or, when pruned, does not name). */
export interface Change {
  readonly action: "created" | "updated" | "unchanged" | "pruned";
  /** What it is, for a person: "workspace", "API key" ... */
  readonly what: string;
  /** Its names from the company down, joined with "/". */
  readonly path: string;
  readonly id: string;
  /** What the person should know beside the action. */
  readonly note?: string;
  /** The secret is not in the file: Heddle made it earlier, and showed it then. */
  readonly secretShownBefore?: true;
  /** What is updated. */
  readonly fields?: readonly FieldChange[];
}

/** A secret that was made just now. It is nowhere else: the caller shows it once. */
export interface MadeSecret {
  readonly what: string;
  readonly path: string;
  readonly secret: string;
}

/** What planning has found so far; the functions of the declare files add to it. */
export interface Plan {
  readonly rows: AccessRows;
  readonly now: number;
  readonly prune: boolean;
  readonly writes: AccessWrite[];
  readonly changes: Change[];
  readonly secrets: MadeSecret[];
  readonly problems: Problem[];
  /** Everything the file names, by rowName(). */
  readonly named: Set<string>;
}

/** Writes the row where it differs from what was found, and says what happened. */
export function put(
  plan: Plan,
  write: PutWrite,
  of: { readonly found: object | undefined; readonly line: number; readonly change: Omit<Change, "action"> },
): void {
  const action = of.found === undefined ? "created" : isDeepStrictEqual(of.found, write.row) ? "unchanged" : "updated";
  const name = rowName(write);
  // Two entries of the file that mean one row would undo each other at every apply.
  if (plan.named.has(name)) {
    plan.problems.push({ line: of.line, text: `the ${of.change.what} "${of.change.path}" is one that the file has under another name` });
  }
  plan.named.add(name);
  const fields = of.found !== undefined && action === "updated" ? { fields: fieldChanges(of.found, write.row) } : {};
  plan.changes.push({ action, ...of.change, ...fields });
  if (action !== "unchanged") plan.writes.push(write);
}
