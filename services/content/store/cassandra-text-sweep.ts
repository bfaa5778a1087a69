/** Takes away texts that nothing points at: what is left where a PUT was interrupted, or could not take away what it replaced. */
import { scanTable, type Session } from "../../../platform/cassandra/session.ts";
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/logger.ts";
import { madeAt } from "../../../platform/identifier.ts";
import { openTextVersions, type TextVersions, versionIn } from "./cassandra-texts.ts";
import { part, putMark, scanVersions } from "./cassandra-translation-statements.ts";

export interface SweepParts {
  readonly session: Session;
  readonly clock: Clock;
}

/** Looks at every version there is, one after the other; gives how many went. A version is a UUIDv7. */
export async function sweepTexts({ session, clock }: SweepParts): Promise<number> {
  const versions = openTextVersions({ session, newVersion: () => "" });
  let dropped = 0;
  for await (const rows of scanTable(session, scanVersions, limits.cassandraPageRows)) {
    for (const row of rows) {
      const [workspaceId, messageId, localeId, version] = columns.map((column) => String(row[column])) as [string, string, string, string];
      // What is younger may still be on its way to count
      if (madeAt(version) > clock.now() - limits.textSweepAgeMs) continue;
      const key = { messageId, localeId };
      if (await counts(versions, workspaceId, { key, version })) continue;
      await versions.drop(workspaceId, [{ key, pointer: `${version} 0` }]);
      dropped += 1;
    }
  }
  return dropped;
}

const columns = ["workspace_id", "message_id", "locale_id", "version"] as const;

/** A serial read where the first says no: it ends a change that is half done, either way. */
async function counts(
  versions: TextVersions,
  workspaceId: string,
  { key, version }: { readonly key: { readonly messageId: string; readonly localeId: string }; readonly version: string },
): Promise<boolean> {
  for (const serial of [false, true]) {
    const pointer = await versions.pointer(workspaceId, key, { serial });
    if (pointer !== undefined && versionIn(pointer).version === version) return true;
  }
  return false;
}

/** Sweeps once a day, in one of the processes that share the tables. The returned function ends it. */
export function sweepTextsDaily(parts: SweepParts & { readonly logger: Logger }): () => void {
  const { clock, logger } = parts;
  let closed = false;
  let cancel = later();
  function later(): () => void {
    return clock.after(limits.textSweepLookMs, () => void look());
  }
  async function look(): Promise<void> {
    try {
      if (await claimed(parts)) logger.info("texts_swept", { dropped: await sweepTexts(parts) });
    } catch (error) {
      // Also where the store is closed meanwhile: the next day, or the next process, does it
      if (!closed) logger.warn("texts_not_swept", { reason: error instanceof Error ? error.message : String(error) });
    }
    cancel = closed ? () => {} : later();
  }
  return () => {
    closed = true;
    cancel();
  };
}

/** True for the first that asks in a day. */
async function claimed({ session, clock }: SweepParts): Promise<boolean> {
  const claim = {
    workspace_id: everyWorkspace,
    kind: "mark",
    id: "sweep",
    body: "",
    expires_at: BigInt(clock.now() + limits.textSweepMs),
    ttl: limits.textSweepMs / 1000,
    was: null,
  };
  return await session.conditional([part(putMark, claim)]);
}

const everyWorkspace = "*";
