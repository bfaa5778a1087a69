/** What every driver of events must do, sentence by sentence of the port; a driver joins by passing it. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Events, PublishedEvent } from "./events.ts";

/** Events to be tested: new and empty, and a way to close them and open the same again. */
export interface EventsUnderTest {
  readonly events: Events;
  reopen(): Promise<Events>;
  dispose(): Promise<void>;
}

export function describeEvents(driver: string, open: () => Promise<EventsUnderTest>): void {
  describe(`events contract: ${driver}`, () => {
    let under: EventsUnderTest;
    let events: Events;
    beforeEach(async () => {
      under = await open();
      events = under.events;
    });
    afterEach(() => under.dispose());

    test("read() gives what was published, whole and in order, above a place", async () => {
      const before = Date.now() - clockSkewMsMax;
      await events.publish([event(1), event(2)]);
      await events.publish([event(3, { subject: "scim.user.deleted.v1", scope: "co-1.eu", key: "käthe ✓" })]);
      const kept = await events.read(0, { max: 10 });
      expect(kept).toMatchObject([event(1), event(2), event(3, { subject: "scim.user.deleted.v1", scope: "co-1.eu", key: "käthe ✓" })]);
      expect(Math.min(...kept.map(({ keptAt }) => keptAt))).toBeGreaterThan(before);
      const [first, second] = kept.map(({ sequence }) => sequence);
      expect(second).toBeGreaterThan(first ?? Infinity);
      expect((await events.read(first ?? 0, { max: 1 })).map(({ eventId }) => eventId)).toEqual(["event-2"]);
      expect(await events.read(kept.at(-1)?.sequence ?? 0, { max: 10 })).toEqual([]);
    });

    test("read() of one subject gives no other", async () => {
      await events.publish([event(1), event(2, { subject: "profile.user.merged.v1" }), event(3)]);
      const kept = await events.read(0, { max: 10, subject: "profile.user.merged.v1" });
      expect(kept.map(({ eventId }) => eventId)).toEqual(["event-2"]);
    });

    test("readLast() gives the newest of one subject and scope, the newest first, wherever they lie among others", async () => {
      const others = (from: number) => Array.from({ length: 40 }, (_, at) => event(from + at, { scope: "ws_2" }));
      const dotted = { scope: "ws.1" };
      await events.publish([event(1), event(2, dotted), ...others(100), event(3), event(4, { subject: "profile.user.merged.v1" })]);
      await events.publish([...others(200), event(5), ...others(300)]);
      const last = async (max: number, scope = "ws_1") =>
        (await events.readLast({ subject: "profile.user.updated.v1", scope }, max)).map(({ eventId }) => eventId);
      expect(await last(1)).toEqual(["event-5"]);
      expect(await last(2)).toEqual(["event-5", "event-3"]);
      expect(await last(50)).toEqual(["event-5", "event-3", "event-1"]);
      expect(await last(7, "ws_2")).toEqual([339, 338, 337, 336, 335, 334, 333].map((at) => `event-${at}`));
      expect(await last(7, "ws.1")).toEqual(["event-2"]);
      expect(await last(7, "ws_3")).toEqual([]);
    });

    test("publish() of an event that is kept already keeps it once", async () => {
      await events.publish([event(1), event(2)]);
      await events.publish([event(2), event(3)]);
      expect((await events.read(0, { max: 10 })).map(({ eventId }) => eventId)).toEqual(["event-1", "event-2", "event-3"]);
    });

    test("publish() is durable: events opened again are all there", async () => {
      await events.publish(Array.from({ length: 300 }, (_, at) => event(at)));
      events = await under.reopen();
      expect((await events.read(0, { max: 100 })).length).toBe(100);
      await events.publish([event(1_000)]);
    });

    test("publish() keeps the order of calls that wait together", async () => {
      await Promise.all(Array.from({ length: 50 }, (_, at) => events.publish([event(at)])));
      expect((await events.read(0, { max: 50 })).map(({ eventId }) => eventId)).toEqual(
        Array.from({ length: 50 }, (_, at) => `event-${at}`),
      );
    });

    test.each([
      { subject: "profile.user.merged" },
      { subject: "Profile.user.merged.v1" },
      { subject: "profile.*.merged.v1" },
      { scope: "a b" },
      { scope: "" },
      { eventId: "" },
    ])("publish() refuses %j and keeps nothing", async (bad) => {
      await expect(events.publish([event(1), event(2, bad)])).rejects.toThrow(RangeError);
      expect(await events.read(0, { max: 10 })).toEqual([]);
    });
  });
}

const clockSkewMsMax = 60_000;

function event(at: number, further: Partial<PublishedEvent> = {}): PublishedEvent {
  const body = Uint8Array.from([0, 255, at % 256]);
  return { subject: "profile.user.updated.v1", scope: "ws_1", eventId: `event-${at}`, key: `user-${at}`, body, ...further };
}
