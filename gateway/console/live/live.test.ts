/** What a live view is sent: samples, what came before, nothing personal without the right to it; and what it costs while no view is open. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import type { AnswerStream } from "../../http/http-message.ts";
import { filterOf } from "../../decode/live-filter.ts";
import { matches, mayMatch } from "./filter.ts";
import { type Between, type Live, openLive } from "./live.ts";
import { Ring } from "./ring.ts";
import { Sampler } from "./sampler.ts";
import { liveRequestOf, type SeenRequest } from "./seen.ts";

const track = {
  attributes: [{ external_id: "ann", email: "ann@example.com" }],
  events: [{ external_id: "bob", name: "signed up", time: "x" }],
};

function seenOf(more: Partial<SeenRequest> = {}): SeenRequest {
  return {
    workspaceId: "ws",
    requestId: "r-1",
    at: 0,
    method: "POST",
    route: "/users/track",
    status: 201,
    ms: 1.234,
    reason: "",
    body: Buffer.from(JSON.stringify(track)),
    answer: { body: '{"message":"success"}' },
    ...more,
  };
}

test.each([
  ["all of little", [5, 5], [5, 5]],
  ["no more than its most of a burst", [1_000], [20]],
  ["an even share from the second second on", [400, 400], [20, 20]],
  ["all again when it is quiet", [400, 4, 4], [20, 1, 4]],
])("Sampler takes %s", (_title, sent, taken) => {
  const sampler = new Sampler(20);
  const rates = sent.map((count, second) => {
    for (let at = 0; at < count; at += 1) sampler.take(second * 1_000 + (at * 1_000) / count);
    return sampler.drain();
  });
  expect(rates).toEqual(sent.map((seen, at) => ({ seen, shown: taken[at] })));
});

test("Sampler spreads a share over its second", () => {
  const sampler = new Sampler(20);
  const taken: number[] = [];
  for (let at = 0; at < 800; at += 1) if (sampler.take(at * 2.5)) taken.push(at * 2.5);
  const [first = 0, last = 0] = [taken.filter((at) => at >= 1_000)[0], taken.at(-1)];
  expect(last - first).toBeGreaterThan(800);
});

test("Ring keeps no more than its bounds, gives what came after an id, and says where something is missing", () => {
  const ring = new Ring<number>("life", { entriesMax: 3, bytesMax: 25 });
  const ids = [1, 2, 3, 4].map((value) => ring.add(value, 10));
  expect(ring.bytes).toBe(20);
  expect(ring.after(undefined)).toEqual({ entries: [{ id: ids[2], value: 3 }, { id: ids[3], value: 4 }], missed: false });
  expect(ring.after(ids[1])).toMatchObject({ entries: [{ value: 3 }, { value: 4 }], missed: false });
  expect(ring.after(ids[0])).toMatchObject({ entries: [{ value: 3 }, { value: 4 }], missed: true });
  expect(ring.after(ids[3])).toEqual({ entries: [], missed: false });
  for (const foreign of ["other.2", "life.x", "life", ""]) expect(ring.after(foreign)).toMatchObject({ entries: [{}, {}], missed: true });
  ring.add(5, 1_000);
  expect(ring.bytes).toBe(0);
});

test.each([
  ["", true],
  ["route=/users/track", true],
  ["route=/users/merge", false],
  ["status=taken", true],
  ["status=refused", false],
  ["status=201", true],
  ["reason=RATE_LIMITED", false],
  ["event=signed+up", true],
  ["event=signed", false],
])("a filter of %j lets the request through: %s", (query, expected) => {
  const filter = filterOf(query);
  expect(mayMatch(filter, seenOf())).toBe(expected);
  expect(matches(filter, liveRequestOf(seenOf(), { gateway: "g", withPersonal: false }))).toBe(expected);
});

test("a name among other values is no event of that name, and a body that is too large to look into is not left out for it", () => {
  const live = openLive({ clock: fakeClock() });
  const { of } = view(live, { query: "event=ann" });
  live.note(seenOf());
  expect(of("request")).toEqual([]);
  const large = Buffer.from(JSON.stringify({ events: [{ name: "ann", properties: { text: "x".repeat(limits.liveParsedBytesMax) } }] }));
  live.note(seenOf({ body: large }));
  expect(of("request")).toMatchObject([{ unread: true, objects: [] }]);
});

test("a filter that cannot be read is refused, and names of events are found however they are spelt", () => {
  for (const query of ["status=often", `event=${"a".repeat(300)}`, "route=a&route=b"]) {
    expect(() => filterOf(query)).toThrow(/'(?:status|event|route)'/);
  }
  const body = Buffer.from('{"events":[{"name":"caf\\u00e9"}]}');
  expect(mayMatch(filterOf("event=caf%C3%A9"), seenOf({ body }))).toBe(true);
});

test("an object that was not taken is shown first, with field and reason and no value", () => {
  const errors = [
    {
      type: "Invalid subscription group ID: 'o'brien@example.com' is no group",
      input_array: "attributes",
      index: 0,
      field: "subscription_groups",
    },
    { type: "'time' is not a valid date", input_array: "events", index: 1 },
    { type: "The name of an attribute must have 1 to 255 characters", input_array: "attributes", index: 1, field: "" },
  ];
  const attributes = [...track.attributes, { external_id: "bob", a: 1, "": 1 }];
  const body = Buffer.from(JSON.stringify({ ...track, attributes, events: [{ name: "a" }, { name: "b" }] }));
  const answer = { body: JSON.stringify({ message: "success", errors }) };
  const shown = liveRequestOf(seenOf({ body, answer }), { gateway: "g", withPersonal: false });
  expect(shown).toMatchObject({ object_count: 4, events: ["a", "b"], ms: 1.23 });
  expect(shown.objects).toEqual([
    {
      array: "attributes",
      index: 0,
      verdict: "partly",
      field: "subscription_groups",
      why: "Invalid subscription group ID: '…' is no group",
    },
    { array: "attributes", index: 1, verdict: "partly", field: "", why: "The name of an attribute must have 1 to 255 characters" },
    { array: "events", index: 1, name: "b", verdict: "refused", why: "'time' is not a valid date" },
    { array: "events", index: 0, name: "a", verdict: "taken" },
  ]);
});

test.each(["", "none", "[]", "null", '{"events":{}}', '{"attributes":[null,1,"a"]}', '{"events":[{"name":1}]}'])(
  "a body of %j is no fault, whatever comes of it",
  (body) => {
    expect(liveRequestOf(seenOf({ body: Buffer.from(body), status: 400 }), { gateway: "g", withPersonal: true }).status).toBe(400);
  },
);

interface View {
  readonly stop: () => void;
  /** Of the events, data by name. */
  of(event: string): Record<string, unknown>[];
  readonly text: () => string;
  readonly out: { waiting: number; ended: boolean };
}

function view(live: Live, options: { personal?: boolean; query?: string; lastId?: string; good?: () => boolean } = {}): View {
  let text = "";
  const out = { waiting: 0, ended: false, write: (more: string) => void (text += more), end: () => void (out.ended = true) };
  const viewer = { filter: filterOf(options.query ?? ""), personal: options.personal ?? false, isStillGood: options.good ?? (() => true) };
  const stop = live.view("ws", viewer, options.lastId)(out satisfies AnswerStream);
  return {
    stop,
    out,
    text: () => text,
    of: (event) =>
      text.split("\n\n").filter((block) => block.includes(`event: ${event}\n`)).map((block) =>
        JSON.parse(block.slice(block.indexOf("data: ") + 6))
      ),
  };
}

test("nothing is looked at where nobody watches, and nothing a while after the last view has gone", () => {
  const clock = fakeClock();
  const live = openLive({ clock });
  function unseen(workspaceId: string): SeenRequest {
    return Object.defineProperty(seenOf({ workspaceId }), "body", {
      get() {
        throw new Error("Somebody looked at it");
      },
    });
  }
  expect(live.watched).toBe(false);
  live.note(unseen("ws"));
  const { stop } = view(live);
  expect(live.watched).toBe(true);
  live.note(unseen("other"));
  stop();
  clock.advance(limits.liveLingerMs + 2 * limits.liveTickMs);
  expect(live.watched).toBe(false);
  live.note(unseen("ws"));
});

test("what names a person is sent to whoever may see it alone, and is not kept for those who come back", () => {
  const live = openLive({ clock: fakeClock() });
  const [open, whole] = [view(live), view(live, { personal: true })];
  live.note(seenOf());
  expect(open.of("request")).toHaveLength(1);
  expect(open.text()).not.toMatch(/ann|bob|personal":\{/);
  expect(whole.of("request")).toMatchObject([{ personal: { who: [{ external_id: "ann" }, { external_id: "bob" }] } }]);
  expect(whole.text()).toContain("ann@example.com");
  whole.stop();
  expect(view(live, { personal: true }).text()).not.toMatch(/ann|bob/);
  expect(JSON.stringify(live.recent("ws", {}))).not.toMatch(/ann|bob/);
});

test("a view that comes back has what it missed, once, and is told where there was more", () => {
  const live = openLive({ clock: fakeClock() });
  const first = view(live);
  live.note(seenOf({ requestId: "r-1" }));
  const lastId = /id: (\S+)/.exec(first.text())?.[1] ?? "";
  first.stop();
  live.note(seenOf({ requestId: "r-2" }));
  const again = view(live, { lastId });
  expect(again.of("request").map((request) => request["request_id"])).toEqual(["r-2"]);
  expect(again.of("open")).toMatchObject([{ missed: false }]);
  expect(view(live, { lastId: "another.7" }).of("open")).toMatchObject([{ missed: true }]);
});

test("under load a view is sent a share and told which; a slow one is passed over, and nothing is kept for it", () => {
  const clock = fakeClock();
  const live = openLive({ clock });
  const [quick, slow] = [view(live), view(live)];
  slow.out.waiting = limits.liveViewerCharsMax + 1;
  const before = slow.text().length;
  for (let at = 0; at < 400; at += 1) live.note(seenOf());
  clock.advance(limits.liveTickMs);
  expect(quick.of("request")).toHaveLength(limits.liveEntriesPerSecond);
  expect(quick.of("rate")).toEqual([{ seen: 400, shown: limits.liveEntriesPerSecond, gateways: 1 }]);
  expect(slow.text().length).toBe(before);
  slow.out.waiting = 0;
  live.note(seenOf());
  clock.advance(limits.liveTickMs);
  expect(slow.of("rate")).toHaveLength(1);
});

test("a view ends within a second of its key, and with the gateway; more than the most are refused", () => {
  const clock = fakeClock();
  const live = openLive({ clock });
  let good = true;
  const own = view(live, { good: () => good });
  const other = view(live);
  good = false;
  clock.advance(limits.liveTickMs);
  expect([own.out.ended, own.of("end"), other.out.ended]).toEqual([true, [{ reason: "over" }], false]);
  for (let at = 1; at < limits.liveViewersPerWorkspaceMax; at += 1) view(live);
  expect(() => view(live)).toThrow(/live views/);
  live.close();
  expect([other.out.ended, other.of("end")]).toEqual([true, [{ reason: "closing" }]]);
  expect(() => view(live)).toThrow("The process is stopping");
});

test("views that are asked for at the same moment are no more than the most: what is open when one begins counts", () => {
  const live = openLive({ clock: fakeClock() });
  const begun = Array.from({ length: limits.liveViewersPerWorkspaceMax + 1 }, () => {
    const out = {
      waiting: 0,
      ended: false,
      text: "",
      write: (more: string) => void (out.text += more),
      end: () => void (out.ended = true),
    };
    return { out, start: live.view("ws", { filter: {}, personal: false, isStillGood: () => true }, undefined) };
  });
  for (const { out, start } of begun) start(out);
  expect(begun.map(({ out }) => out.ended)).toEqual(begun.map((_, at) => at === limits.liveViewersPerWorkspaceMax));
  expect(begun.at(-1)?.out.text).toBe('event: end\ndata: {"reason":"full"}\n\n');
});

test("where nothing comes a view hears something now and then", () => {
  const clock = fakeClock();
  const live = openLive({ clock });
  const { of } = view(live);
  for (let second = 0; second < 2 * limits.liveHeartbeatMs / 1_000; second += 1) clock.advance(1_000);
  expect(of("rate")).toEqual([{ seen: 0, shown: 0, gateways: 1 }, { seen: 0, shown: 0, gateways: 1 }]);
});

function openBus(): Between["bus"] & { readonly sent: string[] } {
  const listeners = new Set<{ subject: string; callback: (body: Uint8Array) => void }>();
  const sent: string[] = [];
  return {
    sent,
    publish(subject, body) {
      sent.push(Buffer.from(body).toString());
      for (const listener of listeners) if (listener.subject === subject) listener.callback(body);
    },
    subscribe(subject, callback) {
      const listener = { subject, callback };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

test("a view shows what other gateways answer, as it is filtered there; names of people travel while somebody may see them alone", () => {
  const clock = fakeClock();
  const bus = openBus();
  const [here, there] = [1, 2].map(() => openLive({ clock, between: { bus, installation: "heddle" } })) as [Live, Live];
  const { of, text, stop } = view(here, { query: "status=taken" });
  expect(there.watched).toBe(true);
  there.note(seenOf({ requestId: "there" }));
  there.note(seenOf({ requestId: "refused", status: 400 }));
  here.note(seenOf({ requestId: "here" }));
  there.note(seenOf({ requestId: "other", workspaceId: "ws-2" }));
  expect(of("request").map((request) => request["request_id"])).toEqual(["there", "here"]);
  clock.advance(limits.liveTickMs);
  clock.advance(limits.liveTickMs);
  const rates = of("rate") as unknown as { seen: number; shown: number; gateways: number }[];
  expect([rates.reduce((sum, { seen }) => sum + seen, 0), rates.reduce((sum, { shown }) => sum + shown, 0)]).toEqual([2, 2]);
  expect(rates.at(-1)?.gateways).toBe(2);
  expect(bus.sent.join()).not.toMatch(/ann|bob/);
  const whole = view(here, { personal: true });
  there.note(seenOf());
  expect(whole.text()).toContain("ann");
  expect(text()).not.toContain("ann");
  whole.stop();
  const before = bus.sent.length;
  there.note(seenOf());
  expect(bus.sent.slice(before).join()).not.toMatch(/ann|bob/);
  stop();
  clock.advance(limits.liveLingerMs + limits.liveWatchMs + 2 * limits.liveTickMs);
  for (let second = 0; second < 30; second += 1) clock.advance(1_000);
  expect([here.watched, there.watched]).toEqual([false, false]);
});
