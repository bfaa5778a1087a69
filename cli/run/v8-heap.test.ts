/** The space for young objects, as a process that is started so finds it. */
import { execFile } from "node:child_process";
import { env, execPath } from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { meshNodeOptions } from "./v8-heap.fixture.ts";
import { meshSemiSpaceMib } from "./v8-heap.ts";

test("a process of the mesh keeps little room for young objects until it listens, and then takes all of it at once", async () => {
  const { held, grown } = await semiSpaces("releaseSemiSpaceWhole", { NODE_OPTIONS: meshNodeOptions });
  expect(held).toBeLessThanOrEqual(heldMibMax);
  expect(grown).toBe(2 * meshSemiSpaceMib);
});

test("one process takes it step by step instead", async () => {
  const { held, grown } = await semiSpaces("releaseSemiSpace", {});
  expect(held).toBeLessThanOrEqual(heldMibMax);
  expect(grown).toBeLessThanOrEqual(4 * heldMibMax);
});

test("with a large heap buffers alone cause no collection of all there is, with a small one they do", async () => {
  expect(await fullCollections({ NODE_OPTIONS: "--max-old-space-size=1024" })).toBeGreaterThan(4);
  expect(await fullCollections({ NODE_OPTIONS: "--max-old-space-size=4096" })).toBeLessThan(4);
});

test("once the process listens objects are made young, however long others like them live", async () => {
  // V8 decides by samples: of one process in two or three it would make them old
  expect(Math.max(...await Promise.all(Array.from({ length: 6 }, oldMib)))).toBeLessThan(40);
});

test("a heap grows to three times what lived before all there is is collected, where it may be large", async () => {
  expect(await growth({ NODE_OPTIONS: "--max-old-space-size=2048" })).toBeCloseTo(3);
  expect(await growth({ NODE_OPTIONS: "--max-old-space-size=512" })).toBeLessThan(2.9);
});

/** How many times what lived a heap may grow to; the space for young objects is added to that. */
async function growth(variables: Readonly<Record<string, string>>): Promise<number> {
  const args = ["--expose-gc", "--trace-gc-nvp", "--input-type=module", "--eval", growthScript];
  const { stdout } = await promisify(execFile)(execPath, args, { env: { PATH: env.PATH, ...variables } });
  // Each collection says the limit that held until then
  return (lastOf(stdout, "old_gen_allocation_limit") - lastOf(stdout, "new_space_capacity")) / lastOf(stdout, "end_object_size");
}

function lastOf(trace: string, name: string): number {
  return Number([...trace.matchAll(new RegExp(` ${name}=(\\d+)`, "g"))].at(-1)?.[1]);
}

const growthScript = `
  import { releaseSemiSpace } from "${import.meta.dirname}/v8-heap.ts";
  releaseSemiSpace();
  const live = Array.from({ length: 1_000_000 }, (_, n) => ({ n }));
  for (let n = 0; n < 5; n++) gc();
`;

/** By how many MiB old objects grew while 2,000,000 small ones came and went, behind 400,000 like them that stayed. */
async function oldMib(): Promise<number> {
  const args = ["--input-type=module", "--eval", oldScript];
  const { stdout } = await promisify(execFile)(execPath, args, { env: { PATH: env.PATH }, timeout: scriptMsMax });
  return Number(stdout);
}

const scriptMsMax = 60_000;

const oldScript = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { setImmediate } from "node:timers/promises";
    import { releaseSemiSpace } from "${import.meta.dirname}/v8-heap.ts";
    releaseSemiSpace();
    const old = () => getHeapSpaceStatistics().find((space) => space.space_name === "old_space").space_used_size / 2 ** 20;
    const make = (n) => ({ n, list: [n, n] });
    const kept = [];
    for (let n = 0; n < 400_000; n++) {
      kept.push(make(n));
      if (n % 10_000 === 0) await setImmediate();
    }
    kept.length = 0;
    const slots = Array(1_000).fill();
    let [grown, last] = [0, old()];
    for (let n = 0; n < 2_000_000; n++) {
      slots[n % slots.length] = make(n);
      if (n % 10_000 !== 0) continue;
      await setImmediate();
      grown += Math.max(0, old() - last);
      last = old();
    }
    console.log(grown);
`;

/** While 640 MB of buffers come and go, 6 MB at a time, beside a heap of 50 MB. */
async function fullCollections(variables: Readonly<Record<string, string>>): Promise<number> {
  const args = ["--input-type=module", "--eval", buffersScript];
  const { stdout } = await promisify(execFile)(execPath, args, { env: { PATH: env.PATH, ...variables } });
  return Number(stdout);
}

const buffersScript = `
  import { constants, PerformanceObserver } from "node:perf_hooks";
  import { setImmediate } from "node:timers/promises";
  import { releaseSemiSpace } from "${import.meta.dirname}/v8-heap.ts";
  releaseSemiSpace();
  let full = 0;
  new PerformanceObserver((list) => {
    full += list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR).length;
  }).observe({ entryTypes: ["gc"] });
  const live = Array.from({ length: 1_000_000 }, (_, n) => ({ n }));
  await setImmediate();
  full = 0;
  const buffers = Array(100).fill();
  for (let n = 0; n < 10_000; n++) {
    buffers[n % buffers.length] = new Uint8Array(64 * 1024);
    for (let m = 0; m < 500; m++) live[(n * 500 + m) % live.length] = { n: m };
    if (n % 100 === 0) await setImmediate();
  }
  await setImmediate();
  await setImmediate();
  console.log(full);
`;

/** What loading a few files may have taken before; half of it is in use at a time. */
const heldMibMax = 8;

/** MiB of both halves: the most while it was held, and the first that was more after `release`. */
async function semiSpaces(release: string, variables: Readonly<Record<string, string>>): Promise<{ held: number; grown: number }> {
  const args = ["--input-type=module", "--eval", script(release)];
  const { stdout } = await promisify(execFile)(execPath, args, { env: { PATH: env.PATH, ...variables } });
  return JSON.parse(stdout) as { held: number; grown: number };
}

function script(release: string): string {
  return `
    import { getHeapSpaceStatistics } from "node:v8";
    import { holdSemiSpace, ${release} } from "${import.meta.dirname}/v8-heap.ts";
    const size = () => getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size / 2 ** 20;
    // Few live at a time, so that they never overflow the space
    const kept = Array(2_000).fill();
    function work() {
      for (let n = 0; n < 10_000; n++) kept[n % kept.length] = { n, list: [n, n] };
    }
    holdSemiSpace();
    let held = size();
    for (let n = 0; n < 300; n++) { work(); held = Math.max(held, size()); }
    ${release}();
    let grown = held;
    for (let n = 0; n < 10_000 && grown <= held; n++) { work(); grown = size(); }
    console.log(JSON.stringify({ held, grown }));
  `;
}
