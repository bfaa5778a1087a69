/** What a mesh does for the objects that it takes: rows of Cassandra written and read, as its parts count them, and bytes of messages on NATS. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { connect } from "nats";

/** Rows by `write table` and `read table`. */
export type Rows = ReadonlyMap<string, number>;

/** Bytes an object: what came, what goes to the lanes, what readers of events hear. */
export type Bytes = readonly [intake: number, lanes: number, events: number];

/** Behind the last that `count-rows.ts` has said. */
const saidMs = 500;

/** So far, of all parts of the mesh whose processes write into the folder. */
export async function rowsSoFar(folder: string): Promise<Rows> {
  await setTimeout(saidMs);
  const sums = new Map<string, number>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const counts = JSON.parse(readFileSync(join(folder, file), "utf8")) as Record<string, number>;
    for (const [key, rows] of Object.entries(counts)) sums.set(key, (sums.get(key) ?? 0) + rows);
  }
  return sums;
}

/** Rows that objects of a load made a mesh write and read. */
export class RowsOfLoad {
  readonly #rows = new Map<string, number>();

  objects = 0;

  add(objects: number, [before, after]: readonly [Rows, Rows]): void {
    this.objects += objects;
    for (const [key, count] of after) this.#rows.set(key, (this.#rows.get(key) ?? 0) + count - (before.get(key) ?? 0));
  }

  /** Of all tables, an object. */
  of(kind: "read" | "write"): number {
    const sum = [...this.#rows].reduce((all, [key, count]) => key.startsWith(`${kind} `) ? all + count : all, 0);
    return sum / this.objects;
  }

  /** With the tables that have more than one for a thousand objects. */
  text(): string {
    const tables = [...this.#rows].filter(([, count]) => count > this.objects / 1_000).toSorted(([, one], [, other]) => other - one);
    const each = tables.map(([table, count]) => `${table} ${(count / this.objects).toFixed(3)}`).join(", ");
    return `${this.of("write").toFixed(2)} written, ${this.of("read").toFixed(2)} read: ${each}`;
  }
}

/** Of what goes through the streams of `logName` while the work is done, which gives how many objects it was. */
export async function bytesDuring(
  { url, logName }: { readonly url: string; readonly logName: string },
  work: () => Promise<number>,
): Promise<Bytes> {
  const nats = await connect({ servers: [url] });
  const sums = { intake: 0, lanes: 0, events: 0 };
  for (const stream of ["intake", "lanes", "events"] as const) {
    nats.subscribe(`${logName}_${stream}.>`, { callback: (_, { data }) => void (sums[stream] += data.byteLength) });
  }
  try {
    await nats.flush();
    const objects = await work();
    await nats.flush();
    return [sums.intake / objects, sums.lanes / objects, sums.events / objects];
  } finally {
    await nats.close();
  }
}
