/** What was found of streams and rows, and what follows from it: a table, and every text says what is wrong. */
import { describe, expect, test } from "vitest";
import type { Epoch, FoundStream } from "../log/epoch.ts";
import { type Found, type FoundPosition, judge, textOf, type Verdict } from "./judge.ts";
import { planAdoption } from "./plan-adoption.ts";
import { streamNamesOf } from "./streams.ts";

const epoch: Epoch = { logId: "log_a", number: 0, from: { intake: 1, lanes: 1, events: 1 } };
const second: Epoch = { logId: "log_a", number: 1, from: { intake: 1_001, lanes: 2_001, events: 1 } };

function stream(name: string, last: number, further: Partial<FoundStream> = {}): FoundStream {
  return { name, logId: "log_a", number: 0, first: 1, last, ...further };
}

function position(watermark: string, further: Partial<FoundPosition>): FoundPosition {
  return { watermark, of: watermark.startsWith("intake") ? "intake" : "lanes", at: undefined, rows: 0, ...further };
}

const streams: Found["streams"] = { intake: stream("h_intake", 100), lanes: stream("h_lanes", 300), events: stream("h_events", 50) };
const reached = new Map([["intake", 99], ["intake-0", 98], ["lanes", 290], ["resolve-0", 280], ["apply-3", 250], ["events", 40]]);
const whole: Found = {
  keyspace: "k",
  streams,
  streamNames: streamNamesOf("h"),
  epoch,
  reached,
  reachedAfter: reached,
  positions: [
    position("intake-0", { at: 100 }),
    position("resolve-0", { at: 285, rows: 280 }),
    position("apply-3", { rows: 250 }),
  ],
};
const none: Found["streams"] = { intake: undefined, lanes: undefined, events: undefined };
const nothing: Found = { ...whole, streams: none, epoch: undefined, reached: new Map(), reachedAfter: new Map(), positions: [] };

function told(verdict: Verdict): string {
  return verdict.kind === "broken" ? textOf(verdict.faults) : verdict.kind;
}

const fitting: [string, Partial<Found>, string][] = [
  ["everything is as it was left", {}, "fits"],
  ["streams are further than watermarks", { reached: new Map([["intake-0", 3]]) }, "fits"],
  ["a position is not kept yet whose watermark is", { positions: [position("apply-3", { rows: 0 })] }, "fits"],
  [
    "positions are of a build without watermarks",
    { positions: [position("apply-9", { rows: 0 }), position("resolve-3", { at: 70, rows: 0 })] },
    "fits",
  ],
  ["a build before wiped what the stream of events says of itself", {
    streams: { ...streams, events: stream("h_events", 50, { logId: undefined, number: 0 }) },
  }, "fits"],
  ["nothing is there at all", { ...nothing }, "new"],
  ["a first start stopped before it made the streams", { ...nothing, epoch }, "new"],
  ["a build without epochs made the streams", {
    epoch: undefined,
    reached: new Map(),
    reachedAfter: new Map(),
    streams: { ...streams, intake: stream("h_intake", 100, { logId: undefined }), lanes: stream("h_lanes", 300, { logId: undefined }) },
    positions: [position("apply-3", { rows: 0 }), position("resolve-0", { at: 285 })],
  }, "unmarked"],
  ["another service's rows are marked, and this one's first start is now", {
    epoch: undefined,
    reached: new Map(),
    reachedAfter: new Map(),
    positions: [position("subscription-9", { rows: 0 })],
  }, "unmarked"],
  ["watermarks of an earlier epoch lie below", {
    epoch: second,
    streams: {
      intake: stream("h_intake", 1_000, { number: 1, first: 1_001 }),
      lanes: stream("h_lanes", 2_000, { number: 1, first: 2_001 }),
      events: stream("h_events", 50, { number: 1 }),
    },
    positions: [position("intake-0", { at: 0 }), position("resolve-0", { at: 0 }), position("apply-3", { rows: 0 })],
  }, "fits"],
];

const broken: [string, Partial<Found>, RegExp][] = [
  [
    "both streams are gone",
    { streams: { ...streams, intake: undefined, lanes: undefined } },
    /"h_intake" is gone.*"k" come from it up to 99.*"h_lanes" is gone/,
  ],
  ["a stream is gone from which nothing has come yet", {
    reached: new Map([["made", 1]]),
    streams: { ...streams, lanes: undefined },
  }, /"h_lanes" is gone, and the rows of "k" come from it\./],
  ["the events are gone", { streams: { ...streams, events: undefined } }, /"h_events" is gone/],
  [
    "the intake was made anew at sequence 1",
    { streams: { ...streams, intake: stream("h_intake", 0) } },
    /"h_intake" ends at 0.*lost and made anew/,
  ],
  [
    "the lanes were put back from an older copy",
    { streams: { ...streams, lanes: stream("h_lanes", 289) } },
    /"h_lanes" ends at 289.*up to 290/,
  ],
  ["the intake was emptied", { positions: [position("intake-0", { at: 0 })] }, /"h_intake" has intake-0 at 0.*have it at 98.*emptied/],
  ["the lanes were emptied", { positions: [position("resolve-0", { at: 0 })] }, /"h_lanes" has resolve-0 at 0.*at 280/],
  ["the streams are another installation's", {
    streams: { ...streams, intake: stream("h_intake", 5_000, { logId: "log_b" }) },
  }, /"h_intake" is of the log log_b, and the rows of "k" are of log_a.*servers of its own/],
  [
    "Cassandra was put back older than a trimmed lane",
    { positions: [position("apply-3", { rows: 251 })] },
    /have apply-3 at 250.*trimmed up to 251.*older copy/,
  ],
  [
    "Cassandra was put back older than resolved names",
    { positions: [position("resolve-0", { at: 400, rows: 281 })] },
    /have resolve-0 at 280/,
  ],
  ["Cassandra was put back to before an epoch", {
    streams: { ...streams, lanes: stream("h_lanes", 9_000, { number: 1 }) },
  }, /"h_lanes" is of epoch 1.*of epoch 0/],
  ["Cassandra was lost", {
    epoch: undefined,
    reached: new Map(),
    reachedAfter: new Map(),
  }, /"k" knows nothing of the log log_a.*lost and made anew/],
  ["the rows were lost when no step had noted them yet", {
    epoch: undefined,
    reached: new Map(),
    reachedAfter: new Map(),
    positions: [position("intake-0", { at: 100 }), position("resolve-0", { at: 285 })],
  }, /"k" knows nothing of the log log_a.*lost and made anew/],
  ["a stream of a build without epochs is gone", {
    epoch: undefined,
    reached: new Map(),
    reachedAfter: new Map(),
    positions: [],
    streams: { ...streams, lanes: undefined },
  }, /"h_lanes" is gone/],
  ["streams of a later epoch were put back older than its beginning", {
    epoch: second,
    streams: { ...streams, intake: stream("h_intake", 999, { number: 1 }) },
  }, /"h_intake" ends at 999.*up to 1000/],
];

describe("judge()", () => {
  test.each(fitting)("%s", (_, further, kind) => {
    expect(told(judge({ ...whole, ...further }))).toBe(kind);
  });

  test.each(broken)("%s: refused", (_, further, text) => {
    expect(told(judge({ ...whole, ...further }))).toMatch(text);
  });
});

describe("planAdoption()", () => {
  const now = Date.UTC(2026, 6, 1);
  function plan(...found: Found[]) {
    return planAdoption({ found, now, newLogId: "log_new" });
  }

  test("there is nothing to do where everything fits", () => {
    expect(plan(whole, whole)).toBeUndefined();
    expect(plan(nothing)).toBeUndefined();
  });

  test("where all servers were put back of one moment everything fits, and a new epoch is begun when it is asked for", () => {
    const adoption = planAdoption({ found: [whole], now, newLogId: "", anyway: true });
    expect(adoption).toMatchObject({ kept: [], faults: [], epoch: { logId: "log_a", number: 1 } });
    expect(adoption?.epoch.from.intake).toBeGreaterThan(2 ** 40);
  });

  test("a lost log begins above everything that was given, in the next epoch", () => {
    const adoption = plan({ ...whole, streams: none, positions: [] }, { ...whole, streams: none, positions: [] });
    expect(adoption).toMatchObject({ kept: [], epoch: { logId: "log_a", number: 1 } });
    for (const from of Object.values(adoption?.epoch.from ?? {})) expect(from).toBeGreaterThan(2 ** 40);
    expect(adoption?.lost.join()).toMatch(/h_intake.*h_lanes.*h_events.*X-Heddle-Position/);
  });

  test("the same loss a second later begins further on: a copy that is put back twice gives nothing twice", () => {
    const lost = { ...whole, streams: none, positions: [] };
    const first = planAdoption({ found: [lost], now, newLogId: "" })?.epoch.from.intake ?? 0;
    const later = planAdoption({ found: [lost], now: now + 1_000, newLogId: "" })?.epoch.from.intake ?? 0;
    expect(later - first).toBe(1_024);
  });

  test("rows that were put back go on with the streams, right behind their last", () => {
    const adoption = plan({ ...whole, positions: [position("apply-3", { rows: 251 })] });
    expect(adoption).toMatchObject({
      kept: ["intake", "lanes", "events"],
      epoch: { number: 1, from: { intake: 101, lanes: 301, events: 51 } },
    });
    expect(adoption?.lost.join()).toContain("everything that was applied since the copy was made");
  });

  test("lanes that were lost alone are told how far the intake was resolved", () => {
    const adoption = plan({ ...whole, streams: { ...streams, lanes: undefined }, positions: [] });
    expect(adoption?.kept).toEqual(["intake", "events"]);
    expect([...adoption?.resolved ?? []]).toEqual([[0, 98]]);
  });

  test("one lost keyspace brings all into the next epoch, and one that was begun half way is finished", () => {
    const lost = { ...whole, epoch: undefined, reached: new Map(), reachedAfter: new Map() };
    expect(plan(whole, lost)).toMatchObject({ epoch: { logId: "log_a", number: 1 } });
    const begun = { ...streams, intake: stream("h_intake", 100, { number: 1 }) };
    expect(plan({ ...whole, streams: begun })).toMatchObject({ kept: ["intake", "lanes", "events"], epoch: { number: 2 } });
  });

  test("what belongs to another installation is not touched", () => {
    const foreign = { ...streams, intake: stream("h_intake", 5_000, { logId: "log_b" }) };
    expect(() => plan({ ...whole, streams: foreign })).toThrow(/log_b.*Nothing is adopted/);
    expect(() => plan({ ...whole, streams: none }, { ...whole, epoch: { ...epoch, logId: "log_b" } })).toThrow("several installations");
  });

  test("when the fifteen are used up the last one is begun again further on, and where it is full what to do is said", () => {
    function lostAt(through: number): Found {
      return { ...whole, streams: none, positions: [], reached: new Map([["intake-0", through]]) };
    }
    const last = 15 * 2 ** 40;
    expect(plan(lostAt(last - 1))?.epoch.from.intake).toBeGreaterThan(last);
    const again = plan(lostAt(last + 1_000))?.epoch.from.intake ?? 0;
    expect(again).toBeGreaterThan(last + 1_000);
    expect(again).toBeLessThan(last + 2 ** 40);
    const full = { name: "Unusable", message: expect.stringMatching(/begin anew 15 times.*heddle export.*heddle import/) };
    expect(() => plan(lostAt(again))).toThrow(expect.objectContaining(full));
    const events = { ...lostAt(5), reached: new Map([["events", 2 ** 53 - 2 ** 40]]) };
    expect(() => plan(events)).toThrow(expect.objectContaining({ name: "Unusable", message: expect.stringContaining("heddle export") }));
  });
});
