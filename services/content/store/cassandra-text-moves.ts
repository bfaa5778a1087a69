/**
 * Which version of texts counts, in Cassandra. A conditional write agrees with other replicas in several rounds, and those of one
 * partition go one after the other: so all changes of a workspace that wait while one is under way go together in the next.
 */
import { inFlight } from "../../../platform/cassandra/in-flight.ts";
import type { Row, Session, Statement } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Mark, TextsWrite } from "../domain/translation-ports.ts";
import { type Pointer, textId, type TextVersions } from "./cassandra-texts.ts";
import { moveText, part, plain, putMark, selectRow } from "./cassandra-translation-statements.ts";

/** Runs `work` after all that was begun before for the workspace. */
export type InTurn = <T>(workspaceId: string, work: () => Promise<T>) => Promise<T>;

/**
 * Several processes may write at once. Within this one, changes of a workspace stand in a line: they would only make each other try
 * again. The line is as long as requests are under way.
 */
export function openLines(): InTurn {
  const lines = new Map<string, Promise<unknown>>();
  return (workspaceId, work) => {
    const mine = (lines.get(workspaceId) ?? Promise.resolve()).then(work);
    const settled = mine.catch(() => {}).finally(() => {
      if (lines.get(workspaceId) === settled) lines.delete(workspaceId);
    });
    lines.set(workspaceId, settled);
    return mine;
  };
}

/** Texts that are written, and are to count. */
export interface Move extends Omit<TextsWrite, "texts"> {
  readonly after: Pointer;
}

export interface Moved {
  readonly outcome: "committed" | "repeated" | "reused";
  /** The version that does not count, or no more. */
  readonly left: Pointer | undefined;
}

interface Parts {
  readonly session: Session;
  readonly versions: TextVersions;
  readonly inTurn: InTurn;
}

interface Waiting {
  readonly move: Move;
  readonly done: PromiseWithResolvers<Moved>;
}

/** Moves pointer and mark on the condition that both are as they were seen. As many wait as requests are under way. */
export function openTextMoves(parts: Parts): (workspaceId: string, move: Move) => Promise<Moved> {
  const lines = new Map<string, Waiting[]>();
  async function moveNext(workspaceId: string): Promise<void> {
    const { now: group, later } = groupOf(lines.get(workspaceId) ?? []);
    if (later.length === 0) lines.delete(workspaceId);
    else {
      lines.set(workspaceId, later);
      void parts.inTurn(workspaceId, () => moveNext(workspaceId));
    }
    await moveTogether(parts, workspaceId, group);
  }
  return (workspaceId, move) => {
    const done = Promise.withResolvers<Moved>();
    const line = lines.get(workspaceId);
    if (line) line.push({ move, done });
    else {
      lines.set(workspaceId, [{ move, done }]);
      void parts.inTurn(workspaceId, () => moveNext(workspaceId));
    }
    return done.promise;
  };
}

/** Of those with the same texts or the same mark only the first, so that each sees what the one before it left. */
function groupOf(line: readonly Waiting[]): { readonly now: readonly Waiting[]; readonly later: Waiting[] } {
  const [now, later, taken]: [Waiting[], Waiting[], Set<string>] = [[], [], new Set()];
  for (const waiting of line) {
    const { key, mark } = waiting.move;
    const names = [`text ${textId(key)}`, ...(mark ? [`mark ${mark.requestHash}`] : [])];
    const isFree = now.length < limits.textMovesPerWriteMax && names.every((name) => !taken.has(name));
    (isFree ? now : later).push(waiting);
    // Also those of what has to wait: nothing overtakes it
    for (const name of names) taken.add(name);
  }
  return { now, later };
}

/** Never fails: each is told for itself. Looks more closely where something was not as it was seen. */
async function moveTogether(parts: Parts, workspaceId: string, group: readonly Waiting[]): Promise<void> {
  let left = group;
  try {
    for (let attempt = 0; attempt < limits.contentAttemptsMax && left.length > 0; attempt += 1) {
      left = await tryTogether(parts, workspaceId, { group: left, serial: attempt > 0 });
    }
    if (left.length === 0) return;
    await parts.versions.drop(workspaceId, left.map(({ move }) => ({ key: move.key, pointer: move.after })));
    throw new Refusal("STORE_UNAVAILABLE", "Others change the translation at the same time", { retryAfterSeconds: 1 });
  } catch (error) {
    // Those that were told already stay told
    for (const { done } of left) done.reject(error);
  }
}

/** Gives those that are not settled. */
async function tryTogether(
  parts: Parts,
  workspaceId: string,
  { group, serial }: { readonly group: readonly Waiting[]; readonly serial: boolean },
): Promise<readonly Waiting[]> {
  const seen = await inFlight(group, limits.cassandraInFlightMax, async ({ move, done }) => {
    return { move, done, ...await look(parts, workspaceId, { move, serial }) };
  });
  for (const { done, known } of seen) if (known) done.resolve(known);
  const open = seen.filter(({ known }) => known === undefined);
  if (open.length === 0) return [];
  const isDone = await parts.session.conditional(open.flatMap((one) => statementsOf(workspaceId, one)));
  if (!isDone) return open;
  for (const { done, before } of open) done.resolve({ outcome: "committed", left: before });
  return [];
}

interface Seen {
  readonly before: Pointer | undefined;
  /** Of a mark that is over. */
  readonly expiredAt: number | undefined;
  /** Where an earlier request with the mark settles it. */
  readonly known: Moved | undefined;
}

async function look(
  { session, versions }: Parts,
  workspaceId: string,
  { move: { key, mark, now, after }, serial }: { readonly move: Move; readonly serial: boolean },
): Promise<Seen> {
  const [before, known] = await Promise.all([
    versions.pointer(workspaceId, key, { serial }),
    mark && markOf(session, workspaceId, { requestHash: mark.requestHash, serial }),
  ]);
  const repeated = known !== undefined && known.expiresAt > now;
  return {
    before,
    expiredAt: known?.expiresAt,
    known: repeated ? { outcome: known.bodyHash === mark?.bodyHash ? "repeated" : "reused", left: after } : undefined,
  };
}

/** Undefined where there is none; it may be over. */
export async function markOf(
  session: Session,
  workspaceId: string,
  { requestHash, serial = false }: { readonly requestHash: string; readonly serial?: boolean },
): Promise<{ readonly bodyHash: string; readonly expiresAt: number } | undefined> {
  const statement = plain(selectRow, { workspace_id: workspaceId, kind: "mark", id: requestHash });
  const [row]: readonly Row[] = await session.execute({ ...statement, ...(serial ? { serial } : {}) });
  return row && { bodyHash: String(row["body"]), expiresAt: Number(row["expires_at"]) };
}

function statementsOf(workspaceId: string, { move, before, expiredAt }: Seen & Pick<Waiting, "move">): readonly Statement[] {
  const { key, mark, now, after } = move;
  return [
    part(moveText, { workspace_id: workspaceId, kind: "text", id: textId(key), body: after, was: before ?? null }),
    ...(mark ? [markStatement(workspaceId, mark, { now, was: expiredAt })] : []),
  ];
}

function markStatement(
  workspace_id: string,
  { requestHash, bodyHash }: Mark,
  { now, was }: { readonly now: number; readonly was: number | undefined },
): Statement {
  const expires_at = BigInt(now + limits.idempotencyKeepMs);
  const ttl = Math.ceil(limits.idempotencyKeepMs / 1000);
  return part(putMark, {
    workspace_id,
    kind: "mark",
    id: requestHash,
    body: bodyHash,
    expires_at,
    ttl,
    was: was === undefined ? null : BigInt(was),
  });
}
