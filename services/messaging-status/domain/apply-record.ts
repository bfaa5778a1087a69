/** Applies one record to the state of an address. */
import { aheadAt, isAfter } from "../../../platform/age.ts";
import type { AddressState, EmailMark, EmailStatus } from "./address-state.ts";
import type { ConsentChange, StatusChange, StatusRecord } from "./status-record.ts";

/** Changes the state in place and returns what changed. A record at or below the mark does nothing. */
export function applyRecord(state: AddressState, record: StatusRecord): ConsentChange[] {
  if (!isAfter(record.mark, state.mark)) return [];
  const before = partsOf(state);
  state.ahead = aheadAt(record.mark, state);
  state.mark = record.mark;
  apply(state, record.change, record.at);
  const kind = record.change.type === "emailStatus" && record.change.carried ? "carried" : "set";
  return partsOf(state).flatMap(([what, after], place) => {
    const earlier = before[place]?.[1] ?? null;
    return earlier === after ? [] : [{ what, kind, before: earlier, after } as const];
  });
}

function partsOf(state: AddressState): [ConsentChange["what"], string | null][] {
  return [
    ["email_status", state.status],
    ["email_rejected", state.rejected?.reason ?? null],
    ["email_spam", state.spamAt === null ? null : "marked"],
    ["phone_invalid", state.invalid?.reason ?? null],
  ];
}

function apply(state: AddressState, change: StatusChange, at: number): void {
  switch (change.type) {
    case "emailStatus":
      if (!change.carried || change.status === "unsubscribed" || state.status === null) setStatus(state, change.status, at);
      return;
    case "emailMark":
      applyMark(state, change.mark, at);
      return;
    case "phoneMark":
      state.invalid = change.mark === "removed" ? null : { reason: change.mark, at: state.invalid?.at ?? at };
      return;
  }
}

/** Never touches the rejected mark: only its removal lifts it. */
function setStatus(state: AddressState, status: EmailStatus, at: number): void {
  state.status = status;
  state.unsubscribedAt = status === "unsubscribed" ? state.unsubscribedAt ?? at : null;
}

function applyMark(state: AddressState, mark: EmailMark, at: number): void {
  switch (mark) {
    case "blocklisted":
      setStatus(state, "unsubscribed", at);
      state.rejected = { reason: "blocklisted", at: state.rejected?.at ?? at };
      return;
    case "hard_bounced":
      state.rejected ??= { reason: "hard_bounced", at };
      return;
    case "bounce_removed":
      state.rejected = null;
      return;
    case "spam":
      state.spamAt ??= at;
      return;
    case "spam_removed":
      state.spamAt = null;
      return;
  }
}
