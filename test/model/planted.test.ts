/** Three planted bugs: histories that find none of them would prove nothing. */
import { expect, test } from "vitest";
import { plants } from "./planted.ts";
import { runHistories } from "./run.ts";

const historiesMax = 500;

test.each(plants)("histories find the planted bug %s within 500", { timeout: 600_000 }, async (plant) => {
  const result = await runHistories({ histories: historiesMax, seed: 7, plant, shrink: false });
  expect(result.failure, `${plant} was not found in ${result.played} histories`).toBeDefined();
});
