/** The rows of a backup in the mesh's stores of the content service: a workspace is read and written within its own partitions. */
import { readAll, type Session } from "../../../platform/cassandra/session.ts";
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Remembered } from "../domain/center-ports.ts";
import { openCenterRows } from "./cassandra-center-rows.ts";
import { type MovedCenters, openMovedCenters } from "./cassandra-centers.ts";
import { textKeyOf } from "./cassandra-texts.ts";
import { part, plain, putMark, selectKind, selectMarks, selectRow } from "./cassandra-translation-statements.ts";
import { type ContentLists, type ContentMove, contentOf, type ContentStores, type MovedMark, writeMessages } from "./moved-rows.ts";

export function cassandraContentMove({ session, clock, ...stores }: ContentStores & { session: Session; clock: Clock }): ContentMove {
  const moved = openMovedCenters(session);
  const lists = listsIn(session, clock);
  return {
    async *read(workspaceIds) {
      for (const workspaceId of workspaceIds) yield* contentOf({ ...stores, lists }, workspaceId);
    },
    async write(rows) {
      const { workspaceId, pageSettings, center, remembered = [], marks = [] } = rows;
      if (pageSettings) await stores.centers.putSettings(workspaceId, pageSettings);
      if (center) await moved.put(workspaceId, center);
      await putRemembered(moved, { workspaceId, remembered, now: clock.now() });
      await writeMessages(stores.translations, rows, clock.now());
      for (const mark of marks) await putOneMark({ session, clock }, workspaceId, mark);
    },
  };
}

function listsIn(session: Session, clock: Clock): ContentLists {
  const rows = openCenterRows(session);
  return {
    remembered: async (workspaceId) =>
      (await rows.named(workspaceId, "mark")).map(({ id, body }) => ({ ...(body as Omit<Remembered, "requestHash">), requestHash: id }))
        .filter(({ expiresAt }) => expiresAt > clock.now()),
    async textKeys(workspaceId) {
      const found = await readAll(session, plain(selectKind, { workspace_id: workspaceId, kind: "text" }), limits.cassandraPageRows);
      return found.map((row) => textKeyOf(String(row["id"])));
    },
    async marks(workspaceId) {
      const found = await readAll(session, plain(selectMarks, { workspace_id: workspaceId, kind: "mark" }), limits.cassandraPageRows);
      const marks = found.map((row) => {
        return { requestHash: String(row["id"]), bodyHash: String(row["body"]), expiresAt: Number(row["expires_at"]) };
      });
      return marks.filter(({ expiresAt }) => expiresAt > clock.now());
    },
  };
}

async function putRemembered(
  moved: MovedCenters,
  { workspaceId, remembered, now }: { readonly workspaceId: string; readonly remembered: readonly Remembered[]; readonly now: number },
): Promise<void> {
  const kept = remembered.filter(({ expiresAt }) => expiresAt > now);
  for (let at = 0; at < kept.length; at += limits.movedEntriesPerWrite) {
    await moved.putRemembered(workspaceId, kept.slice(at, at + limits.movedEntriesPerWrite), now);
  }
}

/** On the condition under which marks are always written; one that is there is as it should be, or has ended. */
async function putOneMark({ session, clock }: { session: Session; clock: Clock }, workspaceId: string, mark: MovedMark): Promise<void> {
  const { requestHash: id, bodyHash: body, expiresAt } = mark;
  const row = { workspace_id: workspaceId, kind: "mark", id };
  const leftMs = expiresAt - clock.now();
  if (leftMs <= 0) return;
  const [known] = await session.execute({ ...plain(selectRow, row), serial: true });
  const was = (known?.["expires_at"] ?? null) as bigint | null;
  const values = { ...row, body, expires_at: BigInt(expiresAt), ttl: Math.ceil(leftMs / 1000), was: was === null ? null : BigInt(was) };
  if (await session.conditional([part(putMark, values)])) return;
  throw new Refusal("STORE_UNAVAILABLE", "Others change the translations at the same time", { retryAfterSeconds: 1 });
}
