/** Reads see every write that was answered before they arrived; a write's position can be presented to wait longer. */
import { expect, test } from "vitest";
import type { Answer } from "../client.ts";
import { demoKey, testShape } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();

test("a read right after a write sees it, a hundred times in a row, with the position of the write", async () => {
  const id = fresh();
  for (let step = 1; step <= 100; step += 1) {
    await heddle.track({ attributes: [{ external_id: id, step, sum: { inc: 1 } }] });
    expect((await heddle.user(id)).custom_attributes).toEqual({ step, sum: step });
  }
});

test("a read right after a write sees it without a position, for writes of many clients", async () => {
  const ids = Array.from({ length: 20 }, () => fresh());
  await Promise.all(ids.map(async (id) => {
    for (let step = 1; step <= 5; step += 1) {
      const wrote = await heddle.request("POST", "/users/track", { attributes: [{ external_id: id, step }] });
      const read = await readBack(id, wrote);
      expect(read.body.users, read.text).toMatchObject([{ custom_attributes: { step } }]);
    }
  }));
});

test("X-Heddle-Position stands on every write and changes with each", async () => {
  const id = fresh();
  const positions = new Set<string | null>();
  for (
    const [path, body] of [
      ["/users/track", { attributes: [{ external_id: id, a: 1 }] }],
      ["/users/track", { attributes: [{ external_id: id, a: 2 }] }],
      ["/users/track/bulk", { attributes: [{ external_id: id, a: 3 }] }],
      ["/users/alias/new", { user_aliases: [{ external_id: id, alias_label: "l", alias_name: fresh() }] }],
      ["/users/merge", { merge_updates: [{ identifier_to_merge: { external_id: fresh() }, identifier_to_keep: { external_id: id } }] }],
      ["/users/delete", { external_ids: [id] }],
    ] as const
  ) {
    const answer = await heddle.request("POST", path, body);
    expect(answer.headers.get("x-heddle-position"), path).toMatch(/^[\x21-\x7e]+$/);
    positions.add(answer.headers.get("x-heddle-position"));
  }
  expect(positions.size).toBe(6);
});

test("X-Heddle-Position that Heddle never gave out is refused with 400", async () => {
  for (const position of ["nonsense", "-1", "9".repeat(400)]) {
    const answer = await heddle.request("POST", "/users/export/ids", { external_ids: ["a"] }, {
      key: demoKey,
      headers: { "x-heddle-position": position },
    });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.message).toMatch(/\S/);
  }
});

test("reads after kill -9 and restart see every answered write", async () => {
  const ids = Array.from({ length: 30 }, () => fresh());
  await Promise.all(ids.map((external_id) => heddle.request("POST", "/users/track", { attributes: [{ external_id, kept: true }] })));
  await heddle.heddle.restart("SIGKILL");
  const read = await heddle.request("POST", "/users/export/ids", { external_ids: ids });
  expect(read.body.users?.map((user) => user.external_id).toSorted()).toEqual(ids.toSorted());
});

/** Without a position; where a busy mesh answers that it is behind, once more with the position. */
async function readBack(id: string, wrote: Answer): Promise<Answer> {
  const body = { external_ids: [id] };
  const read = await heddle.request("POST", "/users/export/ids", body);
  if (testShape === "embedded" || read.headers.get("x-heddle-read") !== "behind") return read;
  const headers = { "x-heddle-position": wrote.headers.get("x-heddle-position") ?? "" };
  return await heddle.request("POST", "/users/export/ids", body, { key: demoKey, headers });
}
