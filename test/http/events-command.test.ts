/** heddle events: what others are told of users, in one process and in the mesh. */
import { expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { fresh, heddleSuite } from "../suite.ts";

const suite = heddleSuite();

interface ShownEvent {
  readonly sequence: number;
  readonly subject: string;
  readonly eventId: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

async function events(...args: string[]): Promise<ShownEvent[]> {
  const { code, output, errors } = await runCommand(["events", "--limit", "10000", ...args], suite.heddle.commandEnv);
  expect(code, errors).toBe(0);
  return output.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** The payloads of one subject that name the user. */
async function told(subject: string, userId: unknown): Promise<unknown[]> {
  const all = await events("--subject", subject);
  return all.map(({ payload }) => payload).filter((payload) => JSON.stringify(payload).includes(String(userId)));
}

async function idOf(externalId: string): Promise<unknown> {
  return (await suite.user(externalId))["braze_id"];
}

test("a user who is made, merged and deleted is told, each under an id of its own", { timeout: 60_000 }, async () => {
  const [source, target] = [fresh("source"), fresh("target")];
  await suite.track({ attributes: [{ external_id: source, color: "red" }, { external_id: target, color: "blue" }] });
  const [sourceId, targetId] = [await idOf(source), await idOf(target)];
  await expect.poll(() => told("profile.user.updated.v1", sourceId)).not.toEqual([]);
  await suite.accept("/users/merge", {
    merge_updates: [{ identifier_to_merge: { external_id: source }, identifier_to_keep: { external_id: target } }],
  });
  await expect.poll(() => told("profile.user.merged.v1", sourceId)).toMatchObject([{ sourceUserId: sourceId, targetUserId: targetId }]);
  await suite.post("/users/delete", { external_ids: [target] });
  await expect.poll(() => told("profile.user.deleted.v1", targetId)).toMatchObject([{ userId: targetId }]);
  const all = await events();
  expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(all.length);
  const places = all.map(({ sequence }) => sequence);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect((await events("--after", String(places.at(-2)))).length).toBeGreaterThan(0);
});

test("events are read in pages that end where they are told to", async () => {
  expect(await events("--limit", "1")).toHaveLength(1);
  expect(await events("--after", "999999999")).toEqual([]);
  expect(await runCommand(["events", "--after", "soon"], suite.heddle.commandEnv)).toMatchObject({ code: 2 });
});
