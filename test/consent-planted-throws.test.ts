/**
 * A throw that neither store nor log says to pass, planted at every call of every port of the services of consent: once at each
 * call, and at each call for as long as it is about one user or address. Others go on, and the one is right once it is mended.
 */
import { afterEach, describe, expect, test } from "vitest";
import { type ConsentWorld, openEmbeddedWorld, openMeshWorld } from "./planted-consent.ts";

let world: ConsentWorld | undefined;
afterEach(async () => {
  if (world !== undefined) world.plant = () => {};
  await world?.close();
});

function throwPlanted(): never {
  throw new TypeError("planted");
}

/** What waits has to be stored, and a record that cannot be read from its lane is in no applier's hands. */
function isKeeping(call: string, [first]: readonly unknown[]): boolean {
  return /set_aside|lane_records/.test(call) || /set_aside/.test(JSON.stringify(first ?? "", textOf));
}

function textOf(_: string, value: unknown): unknown {
  if (value instanceof Map) return [...value];
  return typeof value === "bigint" ? String(value) : value;
}

const shapes = [
  ["subscription on the mesh", () => openMeshWorld("subscription")],
  ["messaging-status on the mesh", () => openMeshWorld("messaging-status")],
  ["both in one process", openEmbeddedWorld],
] as const;

describe.each(shapes)("%s", (_, open) => {
  test(
    "a throw at any one call stands in nobody's way, and after a redrive nothing is missing",
    { timeout: 400_000 },
    async () => {
      world = await open();
      let thrownAt: string | undefined = "";
      const calls = new Set<string>();
      for (let at = 0; thrownAt !== undefined; at += 1) {
        const names = ["odd", "a", "b"].map((name) => `${name}${at}`);
        let count = 0;
        thrownAt = undefined;
        world.plant = (call) => {
          if (count++ !== at) return;
          thrownAt = call;
          throwPlanted();
        };
        await world.send(names);
        await world.settle();
        // Whom it met waits, and is shown
        const whole = await world.whole(names);
        if (whole.length < names.length) expect([at, thrownAt, await world.waiting()]).not.toEqual([at, thrownAt, []]);
        for (let rounds = 0; rounds === 0 || (rounds < 3 && (await world.waiting()).length > 0); rounds += 1) await world.redrive();
        expect([at, thrownAt, await world.whole(names), await world.waiting()]).toEqual([at, thrownAt, names, []]);
        if (thrownAt !== undefined) calls.add(thrownAt);
      }
      expect(calls.size).toBeGreaterThanOrEqual(7);
    },
  );

  test(
    "what throws for one, again and again, makes it wait and nobody else; redrive and skip set it free",
    { timeout: 400_000 },
    async () => {
      world = await open();
      /** By which failing calls are distinguished. */
      function nameOf(call: string, [first]: readonly unknown[]): string {
        const { cql } = (first ?? {}) as { cql?: string };
        return cql ?? call;
      }
      const failing = new Set<string>();
      const odd = { names: [] as string[] };
      const isAboutOdd = (given: readonly unknown[]) => odd.names.some((name) => JSON.stringify(given, textOf).includes(name));
      async function begin(at: string): Promise<string[]> {
        const names = [`odd-${at}-`, `a-${at}-`, `b-${at}-`];
        await world?.send(names.slice(0, 1));
        await world?.settle();
        odd.names = await world?.called(names[0] ?? "") ?? [];
        return names;
      }
      const first = await begin("first");
      world.plant = (call, given) => {
        if (!isKeeping(call, given) && isAboutOdd(given)) failing.add(nameOf(call, given));
      };
      await world.send(first);
      await world.settle();
      expect(failing.size).toBeGreaterThanOrEqual(2);
      for (const [at, how] of [...failing].flatMap((call) => [[call, "redrive"], [call, "skip"]] as const).entries()) {
        const [call, then] = how;
        world.plant = () => {};
        const names = await begin(String(at));
        world.plant = (made, given) => {
          if (nameOf(made, given) === call && !isKeeping(made, given) && isAboutOdd(given)) throwPlanted();
        };
        await world.send(names);
        await world.settle();
        expect([call, await world.whole(names.slice(1))]).toEqual([call, names.slice(1)]);
        const waiting = await world.waiting();
        expect([call, waiting.length > 0, waiting.filter((key) => !odd.names.includes(key))]).toEqual([call, true, []]);
        world.plant = () => {};
        // What is passed over may have been the last that was said
        if (then === "skip") await world.send(names);
        await world.settle();
        await world[then]();
        expect([call, then, await world.whole(names), await world.waiting()]).toEqual([call, then, names, []]);
      }
    },
  );
});
