/** What a restore into the mesh has begun to bring: it tells a repeat of the same one from another, and from a mesh in use. */
import type { Session, Statement } from "../../platform/cassandra/session.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/identifier.ts";
import { limits } from "../../platform/limits.ts";
import { Refusal } from "../../platform/refusal.ts";
import { fenceOf, putRow, selectVersion, text } from "./cassandra.ts";

interface RestoreNote {
  /** Of what is brought: equal ids, equal rows. */
  readonly id: string;
  /** As the person named it. */
  readonly file: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
}

export interface RestoreNotes {
  /** The restore that was begun in this installation, whether or not it came to its end; undefined where none was. */
  begun(): Promise<RestoreNote | undefined>;
  /** Durably. Refuses STORE_UNAVAILABLE, OUTCOME_UNKNOWN; doing it again is harmless. */
  begin(note: RestoreNote): Promise<void>;
}

/** Beside who may call, in a row that gateways pass over. */
export function openRestoreNotes(
  { session, installation, clock }: { readonly session: Session; readonly installation: string; readonly clock: Clock },
): RestoreNotes {
  return {
    async begun() {
      const rows = await session.execute({ cql: selectNote, values: { installation, kind: noteKind, id: noteId }, idempotent: true });
      const row = rows.find(({ kind }) => kind === noteKind);
      return row && JSON.parse(text(row["content"])) as RestoreNote;
    },
    async begin(note) {
      const put: Statement = {
        cql: putRow,
        values: { installation, kind: noteKind, id: noteId, content: JSON.stringify(note) },
        idempotent: false,
      };
      for (let attempt = 0; attempt < limits.accessAttemptsMax; attempt += 1) {
        const [row] = await session.execute({ cql: selectVersion, values: { installation }, idempotent: true, serial: true });
        const fence = fenceOf({ installation, version: text(row?.["version"]), next: newId("v_", clock), now: clock.now() });
        if (await session.conditional([fence, put])) return;
      }
      throw new Refusal("STORE_UNAVAILABLE", "Others change who may call all the time", { retryAfterSeconds: 1 });
    },
  };
}

const noteKind = "restore";
const noteId = "begun";
const selectNote = "SELECT kind, content FROM access_rows_by_installation WHERE installation = :installation AND kind = :kind AND id = :id";
