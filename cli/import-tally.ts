/** What an import counted and what it says at its end. */
import { basename } from "node:path";

import { asCalled } from "./called-as.ts";
import type { ReadNotes } from "./import-format.ts";
import { type ObjectArray, objectArrays, type SentEntry } from "./import-entry.ts";
import type { Refused } from "./import-report.ts";
import { printError } from "./output.ts";

export type Counts = Record<ObjectArray, number>;

export interface Tally extends ReadNotes {
  /** Taken by this run, and by earlier ones. */
  readonly taken: Counts;
  readonly before: Counts;
  readonly refused: number;
  /** Counts, and says the first few. */
  refuse(refused: readonly Refused[]): void;
  /** All objects of the file that are taken by now. */
  total(): number;
  summary(file: string, run: { readonly seconds: number; readonly report: string }): string;
  trial(name: string): string;
  /** What summary and trial say, for programs. */
  json(): {
    readonly taken: Counts;
    readonly takenBefore: Counts;
    readonly refused: number;
    readonly notCarried: Readonly<Record<string, number>>;
  };
}

const refusalsShown = 5;

export function openTally(): Tally {
  const taken: Counts = { attributes: 0, events: 0, purchases: 0 };
  const before: Counts = { ...taken };
  const left = new Map<string, number>();
  let refused = 0;

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
      for (const { entry, text } of rows.slice(0, Math.max(0, refusalsShown - refused))) printError(`line ${entry.line}: ${text}`);
      refused += rows.length;
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
    json: () => ({ taken, takenBefore: before, refused, notCarried: Object.fromEntries(left) }),
    summary(file, { seconds, report }) {
      const counts = objectArrays.map((array) => `${taken[array] + before[array]} ${array}`).join(", ");
      const rate = Math.round(sum(taken) / Math.max(seconds, 0.001));
      const earlier = sum(before) === 0 ? "" : `, ${sum(before)} of them taken before`;
      const imported = `Imported ${basename(file)}: ${total()} objects (${counts})${earlier} in ${seconds.toFixed(1)} s (${rate} a second)`;
      return `${imported}; ${refused === 0 ? "nothing was refused" : refusedText(refused, report)}${leftText(left)}`;
    },
    trial(name) {
      const counts = objectArrays.map((array) => `${taken[array]} ${array}`).join(", ");
      const earlier = sum(before) === 0 ? "" : `; ${sum(before)} were taken before and would not be sent`;
      return `Dry run of ${name}: ${sum(taken)} objects would be sent (${counts}), ${refused} would be refused${earlier}. Nothing was sent${
        leftText(left)
      }`;
    },
  };
}

export function countTaken(counts: Counts, entries: readonly SentEntry[]): void {
  for (const { array } of entries) counts[array] += 1;
}

function refusedText(refused: number, report: string): string {
  return `${refused} refused. Their rows are in ${report}: mend them there and import that file with the same options, or mend the file itself and run the same command again`;
}

/** Said by name, so that the operator sees it before the old system is gone. */
function leftText(left: ReadonlyMap<string, number>): string {
  if (left.size === 0) return "";
  const names = [...left].map(([name, users]) => `${name} (${users} ${users === 1 ? "user" : "users"})`).join(", ");
  const whole = asCalled("heddle backup and heddle restore move users whole");
  return `\nAn import cannot carry: ${names}. Events and purchases can be imported as such; ${whole}`;
}

function sum(counts: Counts): number {
  return objectArrays.reduce((all, array) => all + counts[array], 0);
}
