/** How often requests took from each limit and what was refused: counted by minute and hour, in documents that each gateway writes alone. */
import type { Clock } from "../../../platform/clock.ts";
import { type Document, type Documents, idsAboveAll } from "../../../platform/documents/documents.ts";
import { newId } from "../../../platform/identifier.ts";
import { limits } from "../../../platform/limits.ts";
import { type CountedRequest, CountedRequests, type CountedValue, digits, kinds } from "./counted-requests.ts";

export interface RequestCounts {
  /** Costs some looks into maps; what is new is written within `requestCountsWriteMs`, and lost with the process before. */
  note(workspaceId: string, request: CountedRequest): void;
  /** What all gateways wrote and this one counted from `from` on (Unix milliseconds): minutes of the last day, or hours of the last year. */
  list(workspaceId: string, by: "minute" | "hour", from: number): Promise<readonly RequestSlot[]>;
  /** Writes what is not written, as far as the store takes it. */
  flush(): Promise<void>;
  close(): void;
}

export interface RequestSlot {
  /** Unix milliseconds of its beginning. */
  readonly at: number;
  /** `requests:<limit>`, `limited:<limit>` for those beyond it, `refused:<reason>`. */
  readonly counts: ReadonlyMap<string, number>;
}

interface RequestCountsOptions {
  readonly documents: Documents;
  readonly clock: Clock;
  readonly installation: string;
  /** While a backup is made nothing is written. */
  readonly isPaused: () => boolean;
}

export function openRequestCounts(options: RequestCountsOptions): RequestCounts {
  const { documents, clock, installation } = options;
  /** What a process counts anew has documents of its own, so no process overwrites what another one counted. */
  const process = newId("gateway_", clock);
  let begun = 0;
  const counted = new Map<string, CountedRequests>();
  const writer = openWriter(options, async (workspaceId) => {
    await counted.get(workspaceId)?.write((writes) => documents.changeIf(partitionOf(workspaceId), { reads: [], plan: () => writes }));
  });
  function partitionOf(workspaceId: string): string {
    return `${installation} requests ${workspaceId}`;
  }
  function begin(workspaceId: string): CountedRequests | undefined {
    const [oldest] = counted.keys();
    if (counted.size >= limits.requestCountsWorkspacesMax && oldest !== undefined) {
      // So many are not written that this one is not counted until there is room
      if (writer.waits(oldest)) return undefined;
      counted.delete(oldest);
    }
    begun += 1;
    const own = new CountedRequests(`${process}.${begun}`);
    counted.set(workspaceId, own);
    return own;
  }
  return {
    note(workspaceId, request) {
      const own = counted.get(workspaceId) ?? begin(workspaceId);
      if (own === undefined) return;
      own.add(clock.now(), request);
      writer.add(workspaceId);
    },
    async list(workspaceId, by, from) {
      const above = digits(Math.floor(from / kinds[by].spanMs));
      const written = await allAbove(documents, { partition: partitionOf(workspaceId), kind: kinds[by].kind, above });
      const values = new Map(written.map(({ id, value }) => [id, value as CountedValue]));
      for (const span of counted.get(workspaceId)?.spans(by) ?? []) values.set(span.id, span.toValue());
      return [...values.values()].flatMap((value) => slotsOf(value, kinds[by])).filter(({ at }) => at >= from);
    },
    flush: writer.flush,
    close: writer.close,
  };
}

function slotsOf({ at, names, slots }: CountedValue, { slotMs, spanMs }: { slotMs: number; spanMs: number }): RequestSlot[] {
  return slots.map(([slot, counts]) => ({
    at: at * spanMs + slot * slotMs,
    counts: new Map(counts.flatMap((count, place) => count === 0 ? [] : [[names[place] ?? "", count] as const])),
  }));
}

async function allAbove(
  documents: Documents,
  { partition, kind, above }: { readonly partition: string; readonly kind: string; readonly above: string },
): Promise<readonly Document[]> {
  const found: Document[] = [];
  for (;;) {
    const range = { above: found.at(-1)?.id ?? above, below: idsAboveAll, limit: limits.requestCountsPerRead };
    const page = await documents.between(partition, kind, range);
    found.push(...page);
    if (page.length < limits.requestCountsPerRead) return found;
  }
}

interface Writer {
  /** The workspace has something to write. */
  add(workspaceId: string): void;
  waits(workspaceId: string): boolean;
  flush(): Promise<void>;
  close(): void;
}

/** Writes a workspace `requestCountsWriteMs` after something new, of very many so many in a turn. */
function openWriter(
  { clock, isPaused }: Pick<RequestCountsOptions, "clock" | "isPaused">,
  write: (workspaceId: string) => Promise<void>,
): Writer {
  /** Since when, on the clock that never steps back; the oldest first. */
  const unwritten = new Map<string, number>();
  let stop: (() => void) | undefined;
  let writing = Promise.resolve();
  let isClosed = false;

  function add(workspaceId: string): void {
    if (!unwritten.has(workspaceId)) unwritten.set(workspaceId, clock.monotonic());
    if (!isClosed) stop ??= clock.after(limits.requestCountsTurnMs, () => void turn());
  }
  async function turn(): Promise<void> {
    stop = undefined;
    await writeDue(limits.requestCountsWriteMs, limits.requestCountsPerTurnMax);
    for (const workspaceId of unwritten.keys()) return add(workspaceId);
  }
  async function writeDue(waitedMs: number, max: number): Promise<void> {
    writing = writeBehind(writing, waitedMs, max);
    await writing;
  }
  async function writeBehind(others: Promise<void>, waitedMs: number, max: number): Promise<void> {
    await others;
    if (isPaused()) return;
    const due = [...unwritten].filter(([, since]) => clock.monotonic() - since >= waitedMs).slice(0, max);
    for (const [workspaceId] of due) {
      unwritten.delete(workspaceId);
      // Tried again; that the store is away is logged by the refresh of who may call
      await write(workspaceId).catch(() => add(workspaceId));
    }
  }
  return {
    add,
    waits: (workspaceId) => unwritten.has(workspaceId),
    flush: () => writeDue(0, unwritten.size),
    close() {
      isClosed = true;
      stop?.();
    },
  };
}
