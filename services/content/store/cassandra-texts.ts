/** Texts in Cassandra: each version under a name of its own, in parts; a pointer in the workspace's partition says which one counts. */
import { inFlight } from "../../../platform/cassandra/in-flight.ts";
import { readAll, type Row, type Session } from "../../../platform/cassandra/session.ts";
import { openKept } from "../../../platform/kept.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Texts, TextsKey } from "../domain/translation.ts";
import { deleteParts, plain, putPart, selectParts, selectRow } from "./cassandra-translation-statements.ts";
import { textsFromBytes, textsToBytes } from "./translation-rows.ts";

/** Where texts are: the version and how many parts it has, as it stands in the row. */
export type Pointer = string;

export interface TextVersions {
  /** Undefined where there are none. `serial`: also what was being written when the read began. */
  pointer(workspaceId: string, key: TextsKey, options?: { readonly serial: boolean }): Promise<Pointer | undefined>;
  read(workspaceId: string, key: TextsKey): Promise<Texts | undefined>;
  /** Writes a version that nothing points at yet. */
  write(workspaceId: string, key: TextsKey, texts: Texts): Promise<Pointer>;
  /** Lets versions go that nothing points at any more. A failure leaves rows that nobody sees, until they are swept. */
  drop(workspaceId: string, versions: readonly Version[]): Promise<void>;
  /** As drop(), behind the caller's back; left to the sweep where too many are under way. */
  dropLater(workspaceId: string, version: Version): void;
}

export interface Version {
  readonly key: TextsKey;
  readonly pointer: Pointer;
}

/** `newVersion` gives a text that was never given before. */
export function openTextVersions({ session, newVersion }: { readonly session: Session; readonly newVersion: () => string }): TextVersions {
  async function pointer(workspaceId: string, key: TextsKey, { serial } = { serial: false }): Promise<Pointer | undefined> {
    const statement = plain(selectRow, { workspace_id: workspaceId, kind: "text", id: textId(key) });
    const [row] = await session.execute({ ...statement, ...(serial ? { serial } : {}) });
    return row === undefined ? undefined : String(row["body"]);
  }
  // A version never changes, so what was read under it stays true
  const kept = openKept<Texts>({ entriesMax: limits.textsKeptMax, sizeMax: limits.textsKeptCharsMax });
  let dropping = 0;
  async function drop(workspaceId: string, dropped: readonly Version[]): Promise<void> {
    const statements = dropped.map(({ key, pointer }) =>
      plain(deleteParts, { ...namesOf(workspaceId, key, versionIn(pointer).version), stamp: 2n })
    );
    await inFlight(statements, partsInFlight, (statement) => session.execute(statement).catch(() => []));
  }
  return {
    pointer,
    async read(workspaceId, key) {
      for (let attempt = 0; attempt < limits.contentAttemptsMax; attempt += 1) {
        const found = await pointer(workspaceId, key);
        if (found === undefined) return undefined;
        const place = `${workspaceId} ${textId(key)} ${found}`;
        const known = kept.get(place);
        if (known) return known;
        const bytes = await readVersion(session, { workspaceId, key, pointer: found });
        if (bytes === undefined) continue;
        const texts = textsFromBytes(bytes);
        const chars = [...texts].reduce((sum, [id, text]) => sum + id.length + text.length, 0);
        if (chars <= limits.textsKeptCharsEachMax) kept.put(place, texts, chars);
        return texts;
      }
      throw new Refusal("STORE_UNAVAILABLE", "The texts are being replaced all the time", { retryAfterSeconds: 1 });
    },
    async write(workspaceId, key, texts) {
      const bytes = textsToBytes(texts);
      const version = newVersion();
      const places = Array.from({ length: Math.ceil(bytes.length / limits.textPartBytesMax) }, (_, at) => at);
      await inFlight(places, partsInFlight, (at) => {
        const body = bytes.subarray(at * limits.textPartBytesMax, (at + 1) * limits.textPartBytesMax);
        return session.execute(plain(putPart, { ...namesOf(workspaceId, key, version), part: at, body, stamp: 1n }));
      });
      return `${version} ${places.length}`;
    },
    drop,
    dropLater(workspaceId, version) {
      if (dropping >= limits.textDropsInFlightMax) return;
      dropping += 1;
      void drop(workspaceId, [version]).finally(() => dropping -= 1);
    },
  };
}

const partsInFlight = 8;

export function textId({ messageId, localeId }: TextsKey): string {
  return `${messageId}/${localeId}`;
}

/** Ids of messages and languages have no slash. */
export function textKeyOf(id: string): TextsKey {
  const [messageId = "", localeId = ""] = id.split("/");
  return { messageId, localeId };
}

export function versionIn(pointer: Pointer): { readonly version: string; readonly parts: number } {
  const [version = "", parts = ""] = pointer.split(" ");
  return { version, parts: Number(parts) };
}

/** Undefined where a later version has taken its place since the pointer was read. */
async function readVersion(
  session: Session,
  { workspaceId, key, pointer }: { readonly workspaceId: string; readonly key: TextsKey; readonly pointer: Pointer },
): Promise<Uint8Array | undefined> {
  const { version, parts } = versionIn(pointer);
  const rows: readonly Row[] = await readAll(session, plain(selectParts, namesOf(workspaceId, key, version)), partsPerPage);
  if (rows.length < parts) return undefined;
  const [first] = rows;
  return rows.length === 1 ? first?.["body"] as Uint8Array : Buffer.concat(rows.map((row) => row["body"] as Uint8Array));
}

/** Of a megabyte at most. */
const partsPerPage = 8;

function namesOf(workspaceId: string, { messageId, localeId }: TextsKey, version: string) {
  return { workspace_id: workspaceId, message_id: messageId, locale_id: localeId, version };
}
