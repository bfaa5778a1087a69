/** What differs from the declaration that was applied last: keys that people made by hand, and what they took away. */
import { expect, test } from "vitest";
import { demoKey } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";

const suite = heddleSuite();

interface Compared {
  readonly state: string;
  readonly applied_at: string;
  readonly differences: { readonly difference: string; readonly what: string; readonly path: string; readonly id?: string }[];
}

async function compared(): Promise<Compared> {
  const { status, body, text } = await suite.get("/console/declaration", { key: demoKey });
  expect(status, text).toBe(200);
  return body as unknown as Compared;
}

test("nothing differs after a start, a key that is made by hand is not declared, and one that is revoked is gone", async () => {
  const before = await compared();
  expect(before.state).toBe("compared");
  expect(Date.parse(before.applied_at)).toBeGreaterThan(0);
  const name = fresh("by-hand");
  const { body } = await suite.post("/console/keys", { name, permissions: ["users.track"] });
  const { key } = body as unknown as { key: { id: string } };
  await expect.poll(async () => (await compared()).differences.filter(({ path }) => path.endsWith(name))).toEqual([
    { difference: "not_declared", what: "API key", path: expect.stringMatching(new RegExp(`/${name}$`)), id: key.id },
  ]);
  const own = (await compared()).differences.find(({ path }) => path.endsWith(name))?.path.slice(0, -name.length) ?? "";
  // Others may be at work on the same server
  expect(before.differences.filter(({ what, path }) => what === "API key" && path.startsWith(own))).toEqual([]);
  expect((await suite.get("/console/declaration")).text).not.toContain(demoKey);
  await suite.post("/console/keys/revoke", { id: key.id });
  await expect.poll(async () => (await compared()).differences.filter(({ path }) => path.endsWith(name))).toEqual([]);
});
