/** The space for young objects, as a process that is started so finds it. */
import { execFile } from "node:child_process";
import { env, execPath } from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { meshNodeOptions, meshSemiSpaceMib } from "./semi-space.ts";

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
    import { holdSemiSpace, ${release} } from "${import.meta.dirname}/semi-space.ts";
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
