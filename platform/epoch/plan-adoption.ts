/** What a new epoch takes over and what it leaves behind: pure, from what was found of all keyspaces to a plan. */
import { beginAbove, beginEventsAbove, type Epoch, type StreamKind, streamKinds } from "../log/epoch.ts";
import { type Found, judge, reachedIn, type Verdict } from "./judge.ts";

export interface Adoption {
  readonly epoch: Epoch;
  /** Streams that go on as they are; the others are made anew. */
  readonly kept: readonly StreamKind[];
  /** By partition of an intake that goes on: the last record that was resolved, for lanes that do not know it. */
  readonly resolved: ReadonlyMap<number, number>;
  readonly faults: readonly string[];
  /** In words. */
  readonly lost: readonly string[];
}

export interface AdoptionPlan {
  /** Of one log each, by keyspace. */
  readonly found: readonly Found[];
  readonly now: number;
  readonly newLogId: string;
  /** Also where everything fits, as it does where all servers were put back of one moment: then no stream goes on. */
  readonly anyway?: boolean;
}

/** Undefined where everything fits. Throws where streams or rows are of another installation, or no epoch is left. */
export function planAdoption({ found, now, newLogId, anyway = false }: AdoptionPlan): Adoption | undefined {
  const verdicts = found.map((one) => judge(one));
  const faults = verdicts.flatMap((verdict) => (verdict.kind === "broken" ? verdict.faults : []));
  const epochs = found.flatMap(({ epoch }) => epoch ?? []);
  const foreign = faults.filter(({ of }) => of === "installation").map(({ text }) => text);
  if (new Set(epochs.map(({ logId }) => logId)).size > 1) foreign.push("the keyspaces are of several installations");
  if (foreign.length > 0) throw new Error(`${foreign.join("; ")}. Nothing is adopted: name the servers and keyspaces of one installation`);
  if (faults.length === 0 && !isSplit(verdicts, epochs) && !anyway) return undefined;
  const [first] = found;
  if (first === undefined) throw new Error("Expected a keyspace");
  const { streams } = first;
  const spoilt = new Set(faults.map(({ of }) => of));
  const kept = streamKinds.filter((kind) => streams[kind] !== undefined && !spoilt.has(kind) && !anyway);
  const logId = epochs[0]?.logId ?? streams.intake?.logId ?? streams.lanes?.logId ?? newLogId;
  const numbers = [...epochs.map(({ number }) => number), ...streamKinds.map((kind) => streams[kind]?.number ?? 0)];
  function fromOf(kind: StreamKind): number {
    const through = Math.max(
      ...found.map(({ reached, epoch, streams: { [kind]: stream } }) =>
        Math.max(reachedIn(reached, kind, 0), (epoch?.from[kind] ?? 1) - 1, stream?.last ?? 0)
      ),
    );
    if (kept.includes(kind)) return (streams[kind]?.last ?? 0) + 1;
    return kind === "events" ? beginEventsAbove(through || 1, now) : beginAbove(through || 1, now);
  }
  const epoch: Epoch = {
    logId,
    number: Math.max(...numbers) + 1,
    from: { intake: fromOf("intake"), lanes: fromOf("lanes"), events: fromOf("events") },
  };
  return {
    epoch,
    kept,
    resolved: kept.includes("intake") ? resolvedOf(found) : new Map(),
    faults: [...new Set(faults.map(({ text }) => text))],
    lost: lostOf(first, kept, spoilt.has("rows")),
  };
}

/** One keyspace was made anew, or an earlier run stopped half way. */
function isSplit(verdicts: readonly Verdict[], epochs: readonly Epoch[]): boolean {
  const marked = verdicts.some(({ kind }) => kind === "fits");
  return new Set(epochs.map(({ number }) => number)).size > 1 || (marked && verdicts.some(({ kind }) => kind === "new"));
}

function resolvedOf(found: readonly Found[]): Map<number, number> {
  const all = found.flatMap(({ reached }) => [...reached]);
  return new Map(
    all.filter(([watermark]) => watermark.startsWith("intake-")).map((
      [watermark, through],
    ) => [Number(watermark.slice("intake-".length)), through]),
  );
}

function lostOf({ streamNames }: Found, kept: readonly StreamKind[], rowsAreOlder: boolean): string[] {
  const lost: string[] = [];
  if (!kept.includes("intake")) {
    lost.push(`${streamNames.intake}: requests that were accepted and not resolved when it was lost, or since its copy was made`);
  }
  if (!kept.includes("lanes")) {
    lost.push(
      `${streamNames.lanes}: what requests that were resolved had not done to users and consent yet; users that waited half merged`,
    );
  }
  if (!kept.includes("events")) lost.push(`${streamNames.events}: events that readers had not read`);
  if (rowsAreOlder) {
    lost.push("the rows: everything that was applied since the copy was made that was put back, with the answers of Idempotency-Keys");
  }
  return [...lost, "every X-Heddle-Position that clients keep: a read with one is refused"];
}
