/** One data folder belongs to one server: a second one is refused and the first goes on. */
import { expect, test } from "vitest";
import { startHeddle } from "../heddle.ts";

test("a second server on the same folder ends with a message and a code, and harms nothing", async () => {
  const heddle = await startHeddle();
  try {
    await heddle.request("POST", "/users/track", { attributes: [{ external_id: "kept", a: 1 }] });
    const second = startHeddle({ dataDir: heddle.dataDir });
    const wrongly = await second.catch(() => undefined);
    await wrongly?.kill();
    await expect(second).rejects.toThrow(/ended with [1-9]\d*.*\n[\s\S]*\S/);
    const read = await heddle.request("POST", "/users/export/ids", { external_ids: ["kept"] });
    expect(read.body.users).toMatchObject([{ custom_attributes: { a: 1 } }]);
  } finally {
    expect(await heddle.close()).toBe(0);
  }
});

test("the folder is free again after kill -9", async () => {
  const heddle = await startHeddle();
  await heddle.restart("SIGKILL");
  expect((await heddle.request("POST", "/users/track", { attributes: [{ external_id: "again", a: 1 }] })).status).toBe(201);
  expect(await heddle.close()).toBe(0);
});
