/** Large values in Cassandra: each version under a name of its own, in chunks; a pointer in the document's row says which one counts. */
import { inFlight } from "../in-flight.ts";
import { readAll, type Session, type Value } from "../cassandra/session.ts";
import type { Clock } from "../clock.ts";
import { newId } from "../identifier.ts";
import { openCache } from "../cache.ts";
import { limits } from "../limits.ts";
import { type Chunks, type Layout, partitionColumn } from "./layout.ts";
import { packedValue, unpackedValue } from "./value-bytes.ts";

/** The version and how many chunks it has, as it stands in the row. */
export type Pointer = string;

export interface LargeValues {
  /** Undefined where another version has taken its place since the pointer was read. */
  read(partition: string, id: string, pointer: Pointer): Promise<unknown>;
  /** Writes a version that nothing points at yet. */
  write(partition: string, id: string, value: unknown): Promise<Pointer>;
  /** Lets a version go that nothing points at any more. A failure leaves rows that no reader sees, until they are swept. */
  drop(partition: string, id: string, version: string): Promise<void>;
  /** As drop(), behind the caller's back; left to the sweep where too many are under way. */
  dropLater(partition: string, id: string, pointer: Pointer): void;
}

export function openChunks(
  { session, layout, chunks, clock }: {
    readonly session: Session;
    readonly layout: Layout;
    readonly chunks: Chunks;
    readonly clock: Clock;
  },
): LargeValues {
  const statements = chunkStatements(layout, chunks);
  // A version never changes, so what was read under it stays true
  const cached = openCache<unknown>({ entriesMax: limits.documentsCachedMax, sizeMax: limits.documentsCachedCharsMax });
  let dropping = 0;
  function namesOf(partition: string, id: string, version: string): Readonly<Record<string, Value>> {
    const names = id.split("/");
    return { partition, version, ...Object.fromEntries(chunks.names.map((name, at) => [name, names[at] ?? ""])) };
  }
  async function drop(partition: string, id: string, version: string): Promise<void> {
    await session.execute({ cql: statements.drop, values: { ...namesOf(partition, id, version), stamp: 2n } }).catch(() => {});
  }
  return {
    async read(partition, id, pointer) {
      const place = `${partition} ${id} ${pointer}`;
      const known = cached.get(place);
      if (known !== undefined) return known;
      const [version = "", count = ""] = pointer.split(" ");
      const rows = await readAll(session, { cql: statements.select, values: namesOf(partition, id, version) }, chunksPerPage);
      if (rows.length < Number(count)) return undefined;
      const bytes = rows.map((row) => row["body"] as Uint8Array);
      const value = unpackedValue(bytes.length === 1 ? bytes[0] as Uint8Array : Buffer.concat(bytes));
      const size = bytes.reduce((sum, { length }) => sum + length, 0);
      if (size <= limits.documentsCachedCharsEachMax) cached.put(place, value, size);
      return value;
    },
    async write(partition, id, value) {
      const packed = packedValue(value);
      const bytes = typeof packed === "string" ? Buffer.from(packed) : packed;
      const version = newId("uuid", clock);
      const places = Array.from({ length: Math.ceil(bytes.length / limits.documentChunkBytesMax) }, (_, at) => at);
      await inFlight(places, chunksPerPage, (part) => {
        const body = bytes.subarray(part * limits.documentChunkBytesMax, (part + 1) * limits.documentChunkBytesMax);
        return session.execute({ cql: statements.put, values: { ...namesOf(partition, id, version), part, body, stamp: 1n } });
      });
      return `${version} ${places.length}`;
    },
    drop,
    dropLater(partition, id, pointer) {
      if (dropping >= limits.documentDropsInFlightMax) return;
      dropping += 1;
      void drop(partition, id, versionIn(pointer)).finally(() => dropping -= 1);
    },
  };
}

/** Of a megabyte at most. */
const chunksPerPage = 8;

export function versionIn(pointer: Pointer): string {
  return pointer.split(" ")[0] ?? "";
}

export function chunkStatements(layout: Layout, { table, names }: Chunks) {
  const partition = partitionColumn(layout);
  const columns = [partition, ...names, "version"].join(", ");
  const markers = ["partition", ...names, "version"].map((name) => `:${name}`).join(", ");
  const which = [`${partition} = :partition`, ...[...names, "version"].map((name) => `${name} = :${name}`)].join(" AND ");
  return {
    select: `SELECT part, body FROM ${table} WHERE ${which}`,
    put: `INSERT INTO ${table} (${columns}, part, body) VALUES (${markers}, :part, :body) USING TIMESTAMP :stamp`,
    drop: `DELETE FROM ${table} USING TIMESTAMP :stamp WHERE ${which}`,
    /** Of all partitions: for the sweep alone. */
    scan: `SELECT DISTINCT ${columns} FROM ${table}`,
  };
}
