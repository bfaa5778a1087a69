/** A pause of writes and a signal that ends the command. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { duringPause } from "./during-pause.ts";
import { withScratch } from "../../shell/in-part.ts";

test("a signal ends the pause, also one that is under way, and then the process, whose unfinished file goes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-paused-"));
  const said: string[] = [];
  const pausing = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<void>();
  onTestFinished(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });
  vi.spyOn(process, "exit").mockImplementation((code) => {
    said.push(`exit ${code}`);
    exited.resolve();
    return undefined as never;
  });
  async function pause(until: number): Promise<void> {
    said.push(until === 0 ? "go on" : "pause");
    if (until > 0) await pausing.promise;
    if (until > 0) said.push("paused");
  }
  const ended = withScratch(
    join(folder, "a.part"),
    () => duringPause({ writes: { pause }, clock: systemClock }, () => Promise.resolve("the work")),
  );
  expect(process.emit("SIGINT", "SIGINT")).toBe(true);
  pausing.resolve();
  await exited.promise;
  expect(said).toEqual(["pause", "paused", "go on", "exit 130"]);
  await expect(ended).rejects.toThrow("aborted");
  expect(readdirSync(folder)).toEqual([]);
});
