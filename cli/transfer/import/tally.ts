/** What an import counted and what it says at its end. */
import { basename } from "node:path";

import { asCalled } from "../../shell/called-as.ts";
import type { ReadNotes } from "./format.ts";
import { type ObjectArray, objectArrays, reasonOf, type SentEntry } from "./entry.ts";
import { isMendable } from "./part.ts";
import type { Refused } from "./report.ts";
import type { Sent } from "./send.ts";
import { counted, printError } from "../../shell/output.ts";

export type Counts = Record<ObjectArray, number>;

export interface Tally extends ReadNotes {
  /** Taken by this run, and by earlier ones. */
  readonly taken: Counts;
  readonly before: Counts;
  readonly refused: number;
  /** Counts, and says the first few. */
  refuse(refused: readonly Refused[]): void;
  /** Of those taken: rows of which fields were not, in the report or, as they cannot be mended, said alone. */
  readonly inPart: number;
  /** Counts what became of a batch, and says the first few of what was not taken. */
  sent(sent: Sent): void;
  /** Counts rows that were taken in part, and says the first few. */
  partOf(inPart: Sent["inPart"]): void;
  /** How many rows of the report were taken in part. */
  reported(rows: number): void;
  /** All objects of the file that are taken by now. */
  total(): number;
  /** Every row was taken by earlier runs. */
  isAllBefore(): boolean;
  summary(file: string, run: { readonly seconds: number; readonly report: string }): string;
  trial(name: string): string;
  /** What summary and trial say, for programs. */
  json(): {
    readonly taken: Counts;
    readonly takenBefore: Counts;
    readonly refused: number;
    readonly inPart: number;
    readonly notCarried: Readonly<Record<string, number>>;
  };
}

const refusalsShown = 5;

export function openTally(): Tally {
  const taken: Counts = { attributes: 0, events: 0, purchases: 0 };
  const before: Counts = { ...taken };
  const left = new Map<string, number>();
  let refused = 0;
  const say = openSaying();
  const partial = { reported: 0, said: 0 };

  function total(): number {
    return sum(taken) + sum(before);
  }
  return {
    taken,
    before,
    get refused() {
      return refused;
    },
    refuse(rows) {
      say(rows, false);
      refused += rows.length;
    },
    get inPart() {
      return partial.reported + partial.said;
    },
    sent({ taken: more, inPart, refused: rows }) {
      countTaken(taken, more);
      this.refuse(rows);
      this.partOf(inPart);
    },
    partOf(inPart) {
      say(inPart, true);
      partial.said += inPart.filter((row) => !isMendable(row)).length;
    },
    reported(count) {
      partial.reported = count;
    },
    onHead({ usual, unmapped }) {
      if (usual.length > 0) printError(`Columns that map by their names: ${usual.join(", ")}`);
      if (unmapped.length > 0) {
        printError(`Columns that become nothing: ${unmapped.join(", ")} (--map ${unmapped[0]}=${unmapped[0]} sends one)`);
      }
    },
    onLeft(names) {
      for (const name of names) left.set(name, (left.get(name) ?? 0) + 1);
    },
    total,
    isAllBefore: () => sum(before) > 0 && sum(taken) + refused === 0,
    json: () => ({ taken, takenBefore: before, refused, inPart: partial.reported + partial.said, notCarried: Object.fromEntries(left) }),
    summary(file, { seconds, report }) {
      const counts = objectArrays.map((array) => `${taken[array] + before[array]} ${array}`).join(", ");
      const rate = Math.round(sum(taken) / Math.max(seconds, 0.001));
      const earlier = sum(before) === 0 ? "" : `, ${sum(before)} of them taken before`;
      const imported = `Imported ${basename(file)}: ${total()} objects (${counts})${earlier} in ${seconds.toFixed(1)} s (${rate} a second)`;
      const refusals = refused === 0 ? "nothing was refused" : refusedText(refused, report);
      return `${imported}; ${refusals}${partText(partial, report)}${leftText(left)}`;
    },
    trial: (name) => `${trialText(name, { taken, before, refused })}${leftText(left)}`,
  };
}

/** Says the first few of all rows that it is called with. */
function openSaying(): (rows: readonly Refused[], isInPart: boolean) => void {
  let said = 0;
  return (rows, isInPart) => {
    for (const { entry, text } of rows.slice(0, Math.max(0, refusalsShown - said))) printError(reasonOf(entry.line, text, isInPart));
    said += rows.length;
  };
}

function trialText(
  name: string,
  { taken, before, refused }: { readonly taken: Counts; readonly before: Counts; readonly refused: number },
): string {
  const counts = objectArrays.map((array) => `${taken[array]} ${array}`).join(", ");
  const earlier = sum(before) === 0 ? "" : `; ${sum(before)} were taken before and would not be sent`;
  return `Dry run of ${name}: ${sum(taken)} objects would be sent (${counts}), ${refused} would be refused${earlier}. Nothing was sent`;
}

export function countTaken(counts: Counts, entries: readonly SentEntry[]): void {
  for (const { array } of entries) counts[array] += 1;
}

function refusedText(refused: number, report: string): string {
  return `${refused} refused. Their rows are in ${report}: mend them there and import that file with the same options, or mend the file itself and run the same command again`;
}

function partText({ reported, said }: { readonly reported: number; readonly said: number }, report: string): string {
  if (reported + said === 0) return "";
  const mend = reported === 0
    ? ""
    : `: those of users are in ${report} with their names. Mend them there alone and import that file with the same options: the rest of their rows counts already`;
  return `; of ${reported + said} some fields were not taken${mend}`;
}

/** Said by name, so that the operator sees it before the old system is gone. */
function leftText(left: ReadonlyMap<string, number>): string {
  if (left.size === 0) return "";
  const names = [...left].map(([name, users]) => `${name} (${counted(users, "user")})`).join(", ");
  const whole = asCalled("heddle backup and heddle restore move users whole");
  return `\nAn import cannot carry: ${names}. Events and purchases can be imported as such; ${whole}`;
}

function sum(counts: Counts): number {
  return objectArrays.reduce((all, array) => all + counts[array], 0);
}
