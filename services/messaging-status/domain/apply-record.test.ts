/** The state table of the specification for addresses, and that nothing but a removal lifts a rejection. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AddressState, type EmailMark, unknownAddress } from "./address-state.ts";
import { applyRecord } from "./apply-record.ts";
import type { StatusChange } from "./status-record.ts";

const status = (value: "opted_in" | "subscribed" | "unsubscribed", carried = false): StatusChange => ({
  type: "emailStatus",
  status: value,
  carried,
});
const mark = (value: EmailMark): StatusChange => ({ type: "emailMark", mark: value });
const phone = (value: "provider_error" | "deactivated" | "removed"): StatusChange => ({ type: "phoneMark", mark: value });

/** Applies changes one after the other, at 1, 2, 3 ... */
function after(changes: readonly StatusChange[]): AddressState {
  const state = unknownAddress("a@b.org");
  for (const [at, change] of changes.entries()) {
    applyRecord(state, { address: state.address, mark: [at + 1, 0], at: at + 1, requestId: "", actor: "", change });
  }
  return state;
}

const table: [string, StatusChange[], Partial<AddressState>][] = [
  ["any, /email/status: the requested state", [status("opted_in")], { status: "opted_in", unsubscribedAt: null }],
  ["any, /email/status: the requested state", [status("unsubscribed"), status("subscribed")], {
    status: "subscribed",
    unsubscribedAt: null,
  }],
  ["any, /email/status: the requested state", [status("subscribed"), status("unsubscribed")], {
    status: "unsubscribed",
    unsubscribedAt: 2,
  }],
  ["unsubscribed again keeps its time", [status("unsubscribed"), status("unsubscribed")], { unsubscribedAt: 1 }],
  ["any, /email/blocklist: unsubscribed and rejected", [status("opted_in"), mark("blocklisted")], {
    status: "unsubscribed",
    unsubscribedAt: 2,
    rejected: { reason: "blocklisted", at: 2 },
  }],
  ["a status does not clear the rejected mark", [mark("blocklisted"), status("subscribed")], {
    status: "subscribed",
    rejected: { reason: "blocklisted", at: 1 },
  }],
  ["removal lifts the mark and leaves the status", [mark("blocklisted"), mark("bounce_removed")], {
    status: "unsubscribed",
    rejected: null,
  }],
  ["a bounce rejects and leaves the status", [status("opted_in"), mark("hard_bounced")], {
    status: "opted_in",
    rejected: { reason: "hard_bounced", at: 2 },
  }],
  ["a bounce after a blocklisting changes nothing", [mark("blocklisted"), mark("hard_bounced")], {
    rejected: { reason: "blocklisted", at: 1 },
  }],
  ["a spam mark is removed by its own removal only", [mark("spam"), mark("bounce_removed")], { spamAt: 1 }],
  ["a spam mark is removed by its own removal only", [mark("spam"), mark("spam_removed")], { spamAt: null }],
  ["marked invalid, removal: removed", [phone("deactivated"), phone("removed")], { invalid: null }],
  ["removed, marked again: invalid again", [phone("deactivated"), phone("removed"), phone("provider_error")], {
    invalid: { reason: "provider_error", at: 3 },
  }],
  ["carried: where nothing is known", [status("opted_in", true)], { status: "opted_in" }],
  ["carried: an unsubscribe counts", [status("opted_in"), status("unsubscribed", true)], { status: "unsubscribed" }],
  ["carried: a subscribe lifts no unsubscribe", [status("unsubscribed"), status("opted_in", true)], { status: "unsubscribed" }],
];

test.each(table)("applyRecord() %s (specification, States and transitions)", (_, changes, state) => {
  expect(after(changes)).toMatchObject(state);
});

/** The table of the specification, cell by cell: "any" is every state that an address can be in. */
const statuses = ["opted_in", "subscribed", "unsubscribed"] as const;
const anyState: [string, StatusChange[]][] = [[], ...statuses.map((value) => [status(value)])].flatMap((before) =>
  [[], [mark("hard_bounced")], [mark("blocklisted"), ...before], [mark("spam")]].map((marks): [string, StatusChange[]] => {
    const all = [...before, ...marks];
    return [all.map((change) => "status" in change ? change.status : change.mark).join(", ") || "nothing", all];
  })
);

describe.each(anyState)("of an address with %s", (_, before) => {
  test.each(statuses)("/email/status leads to the requested %s, and touches no mark", (requested) => {
    const { status: _status, unsubscribedAt: _at, mark: _mark, ...marks } = after(before);
    expect(after([...before, status(requested)])).toMatchObject({ ...marks, status: requested });
  });

  test("/email/blocklist leads to unsubscribed, and permanently rejected", () => {
    const state = after([...before, mark("blocklisted")]);
    expect([state.status, state.rejected?.reason]).toEqual(["unsubscribed", "blocklisted"]);
    expect(state.spamAt).toBe(after(before).spamAt);
  });
});

test.each<[string, StatusChange[]]>([
  ["provider_error", [phone("provider_error")]],
  ["deactivated", [phone("deactivated")]],
  ["nothing", []],
])("/sms/invalid_phone_numbers/remove leads from %s to no mark, and a number may be marked again", (_, before) => {
  expect(after([...before, phone("removed")]).invalid).toBeNull();
  expect(after([...before, phone("removed"), phone("deactivated")]).invalid?.reason).toBe("deactivated");
});

test("applyRecord() tells what became another, once", () => {
  const state = unknownAddress("a@b.org");
  const record = { address: "a@b.org", mark: [1, 0] as const, at: 1, requestId: "", actor: "", change: mark("blocklisted") };
  expect(applyRecord(state, record)).toEqual([
    { what: "email_status", kind: "set", before: null, after: "unsubscribed" },
    { what: "email_rejected", kind: "set", before: null, after: "blocklisted" },
  ]);
  expect(applyRecord(state, record)).toEqual([]);
  expect(applyRecord(state, { ...record, mark: [1, 1] })).toEqual([]);
});

const anyChange = fc.oneof(
  fc.record({
    type: fc.constant("emailStatus" as const),
    status: fc.constantFrom("opted_in" as const, "subscribed" as const, "unsubscribed" as const),
    carried: fc.boolean(),
  }),
  fc.record({
    type: fc.constant("emailMark" as const),
    mark: fc.constantFrom<EmailMark>("blocklisted", "hard_bounced", "spam", "bounce_removed", "spam_removed"),
  }),
);

test("applyRecord() nothing but the explicit removal lifts a rejection, nothing but an explicit set an unsubscribe", () => {
  fc.assert(fc.property(fc.array(anyChange), (changes) => {
    const isRemoved = changes.some((change) => change.type === "emailMark" && change.mark === "bounce_removed");
    const isSet = changes.some((change) => change.type === "emailStatus" && !change.carried && change.status !== "unsubscribed");
    const state = after([mark("blocklisted"), ...changes]);
    if (!isRemoved) expect(state.rejected).not.toBeNull();
    if (!isSet) expect(state.status).toBe("unsubscribed");
  }));
});
