/** What the bench says of its figures: spans, ratios to floors, and warnings. */
import { expect, test } from "vitest";
import { type Figure, pictureOf, summaries, tableOf, warningsOf } from "./bench/figures.ts";

const figures: readonly Figure[] = [
  { load: "bare", cpuUs: 10, others: 0 },
  { load: "bare", cpuUs: 12, others: 0 },
  { load: "bare", cpuUs: 11, others: 0 },
  ...[30, 22, 26].map((cpuUs) => ({
    load: "track <one>",
    target: "this build",
    cpuUs,
    cpuUsBy: new Map([["gateway", cpuUs - 20], ["profile", 20]]),
    objectsPerSecond: 1_000,
    failed: 0,
    others: 0.02,
  })),
];
const floorOf = new Map([["track <one>", "bare"]]);

test("a load has its least, middle and largest cost, and is quoted as a ratio to its floor of the same run", () => {
  const [bare, track] = summaries(figures, floorOf);
  expect([bare?.cpuUs, bare?.ratio]).toEqual([[10, 11, 12], undefined]);
  expect([track?.cpuUs, track?.ratio]).toEqual([[22, 26, 30], 26 / 11]);
  expect(tableOf(summaries(figures, floorOf))).toContain(
    "| track <one> | this build | 22.0, 26.0, 30.0 | 2.36 | 1000 |  |  | profile 20.0, gateway 6.0 |",
  );
});

test("a machine that was not still, and requests that failed, are said", () => {
  expect(warningsOf(summaries(figures, floorOf))).toEqual([]);
  const busy = summaries([...figures, { load: "other", target: "this build", cpuUs: 1, failed: 3, others: 1.5 }], floorOf);
  expect(warningsOf(busy)).toEqual([
    expect.stringMatching(/^THE MACHINE WAS NOT STILL: up to 1\.5 cores did other things .* in 1 of 3 rows/),
    "3 REQUESTS FAILED: other, this build",
  ]);
});

test("the picture has a bar for each row, and no text of it is markup", () => {
  const picture = pictureOf("title", summaries(figures, floorOf));
  expect(picture.match(/<rect [^>]*height="14"/g)).toHaveLength(2);
  expect(picture).toContain("track &lt;one>, this build");
  expect(picture).toContain("2.4 times its floor");
});
