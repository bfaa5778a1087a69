/** Random histories on the real system against the reference: no difference may be left. */
import { expect, test } from "vitest";
import { runHistories } from "./run.ts";

const histories = Number(process.env["HEDDLE_MODEL_HISTORIES"] ?? 2_000);
const seed = Number(process.env["HEDDLE_MODEL_SEED"] ?? 1);

test(`${histories} random histories leave what the reference leaves (seed ${seed})`, { timeout: 3_600_000 }, async () => {
  const result = await runHistories({ histories, seed });
  expect(result.failure, JSON.stringify(result.failure, null, 1)).toBeUndefined();
  expect(result.played).toBe(histories);
  expect(result.crashes).toBeGreaterThan(0);
  expect(result.givenUp, `of ${histories} histories`).toBeLessThan(histories / 4);
});
