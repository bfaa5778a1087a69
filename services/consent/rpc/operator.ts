/** What both services of consent answer to operators: how far lanes are, what waits for a human, and the ledger as a whole. */
import { Buffer } from "node:buffer";
import type { HandlerContext } from "@connectrpc/connect";
import type { DeadLetterId } from "../../../platform/lane/hold-back.ts";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { ledgerEntryToMessage } from "../../../platform/ledger/message.ts";
import type { Ledger, Verified } from "../../../platform/ledger/read.ts";
import { limits } from "../../../platform/limits.ts";
import { type RequestContext, type Scoped, scopeOf } from "../../../platform/request-context.ts";
import { laneMessages } from "../../../platform/telemetry/lag-history.ts";
import type { LaneWork } from "../../../platform/telemetry/work-metrics.ts";
import type { Redriving } from "../lane/redrive.ts";

export interface OperatorDeps {
  readonly ledger: Pick<Ledger, "history" | "checked" | "verify" | "verifyPage" | "subjects">;
  readonly work: LaneWork;
  readonly deadLetters: Redriving;
}

/** The RPCs that both services have. */
export function operatorRoutes({ ledger, work, deadLetters }: OperatorDeps) {
  return {
    async verifyLedger(
      message: Scoped<RequestContext> & { readonly from?: string | undefined },
      { signal }: Pick<HandlerContext, "signal">,
    ) {
      const { workspaceId } = scopeOf(message);
      if (message.from === undefined) return verifiedToMessage(await ledger.verify(workspaceId, signal));
      const { next = "", ...found } = await ledger.verifyPage(workspaceId, pageFrom(message.from), signal);
      return { ...verifiedToMessage(found), next };
    },
    async exportLedger(message: Scoped<RequestContext> & { readonly from: string }) {
      const { entries, next = "" } = await exportedPage(ledger, scopeOf(message).workspaceId, pageFrom(message.from));
      return { entries: entries.map(ledgerEntryToMessage), next };
    },
    async getProgress({ withHistory }: { readonly withHistory: boolean }) {
      const [lanes, { deadLetters: waiting }] = await Promise.all([work.lags(), work.backlog()]);
      return { lanes: laneMessages(lanes, withHistory ? work.history() : []), setAside: waiting };
    },
    async listSetAside({ limit, after }: { readonly limit: number; readonly after?: LetterMessage | undefined }) {
      const max = Math.min(limit || limits.setAsidePageMax, limits.setAsidePageMax);
      const listed = await deadLetters.listSetAside(max, after && recordIdOf(after));
      const records = listed.map(({ reason, record: { workspaceId, sequence, part, key, body } }) => {
        return { workspaceId, sequence: BigInt(sequence), part, key, reason, body: new Uint8Array(body) };
      });
      return { records, more: listed.length === max };
    },
    showSetAside: async (message: LetterMessage) => ({ record: await deadLetters.showSetAside(recordIdOf(message)) }),
    redriveSetAside: async () => ({ records: await deadLetters.redriveSetAside() }),
    async skipSetAside(message: LetterMessage) {
      await deadLetters.skipSetAside(recordIdOf(message));
      return {};
    },
  };
}

/** Whole chains, one after the other: as many as one answer takes, and one where that is larger by itself. */
async function exportedPage(
  ledger: Pick<Ledger, "history" | "subjects">,
  workspaceId: string,
  { from, max }: ReturnType<typeof pageFrom>,
): Promise<{ readonly entries: LedgerEntry[]; readonly next: string | undefined }> {
  const entries: LedgerEntry[] = [];
  let next = from;
  let bytes = 0;
  for (let chains = 0; chains < max; chains += 1) {
    // Only the store can say where a page begins: it is asked for one subject at a time
    const { subjects, next: behind } = await ledger.subjects(workspaceId, { from: next, max: 1 });
    for (const subject of subjects) {
      const chain = await ledger.history(workspaceId, subject);
      bytes += Buffer.byteLength(JSON.stringify(chain));
      if (entries.length > 0 && bytes > limits.ledgerAnswerBytes) return { entries, next };
      for (const entry of chain) entries.push(entry);
    }
    if (behind === undefined) return { entries, next: undefined };
    next = behind;
  }
  return { entries, next };
}

function pageFrom(from: string) {
  return { from: from === "" ? undefined : from, max: limits.ledgerSubjectsPerAnswer };
}

function verifiedToMessage({ entries, damage }: Verified) {
  return { entries: BigInt(entries), ...(damage !== undefined && { damage }) };
}

interface LetterMessage {
  readonly workspaceId: string;
  readonly sequence: bigint;
  readonly part: number;
}

function recordIdOf({ workspaceId, sequence, part }: LetterMessage): DeadLetterId {
  return { workspaceId, sequence: Number(sequence), part };
}

/** The histories of these subjects as one, up to `until` (Unix milliseconds; 0: all), and where their whole chains are damaged. */
export async function historyOf(
  ledger: Pick<Ledger, "checked">,
  { workspaceId, subjects, until }: { readonly workspaceId: string; readonly subjects: readonly string[]; readonly until: bigint },
) {
  const chains = await Promise.all(subjects.map((subject) => ledger.checked(workspaceId, subject)));
  const last = until === 0n ? Infinity : Number(until);
  const all = chains.flatMap(({ entries }) => entries);
  const entries = all.filter(({ at }) => at <= last).toSorted((a, b) => a.sequence - b.sequence || a.part - b.part);
  const damage = chains.flatMap((chain) => chain.damage ?? []);
  return { entries: entries.map(ledgerEntryToMessage), damage, chains: chains.length };
}
