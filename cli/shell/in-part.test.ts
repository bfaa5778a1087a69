/** Two commands that write one file at a time: one of them gets it, whole, and the other one says so. */
import { appendFileSync, closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withScratch } from "./in-part.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-in-part-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Writes its name, waits, writes it again, and moves the file. */
function command(name: string, goOn: Promise<void>): Promise<void> {
  return withScratch(join(folder, "users.part"), async (path, moveTo) => {
    const handle = openSync(path, "a");
    appendFileSync(handle, name);
    await goOn;
    appendFileSync(handle, name);
    closeSync(handle);
    moveTo(join(folder, "users"));
  });
}

test("the one that began last has the file, whichever ends first", async () => {
  for (const order of [[0, 1], [1, 0]]) {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const commands = ["a", "b"].map((name, at) => command(name, gates[at]?.promise ?? Promise.resolve()));
    const ended = Promise.allSettled(commands);
    for (const at of order) {
      gates[at]?.resolve();
      await Promise.allSettled([commands[at]]);
    }
    expect(await ended).toMatchObject([
      { status: "rejected", reason: { message: expect.stringContaining("Another command writes") as string } },
      { status: "fulfilled" },
    ]);
    expect(readFileSync(join(folder, "users"), "utf8")).toBe("bb");
    expect(readdirSync(folder)).toEqual(["users"]);
  }
});
