/** heddle events: the events of users, in one process and in the mesh. */
import { expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { fresh, freshEmail, freshPhone, heddleSuite } from "../suite.ts";

const suite = heddleSuite();

interface ShownEvent {
  readonly sequence: number;
  readonly subject: string;
  readonly eventId: string;
  readonly key: string;
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
  await suite.merge(source, target);
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

test("events name whom and what they are about, so that who keeps a copy finds it when the user is gone", { timeout: 60_000 }, async () => {
  const [source, target, renamed] = [fresh("source"), fresh("target"), fresh("renamed")];
  const [email, sourceEmail, phone] = [freshEmail(), freshEmail(), freshPhone()];
  const alias = { alias_label: fresh("label"), alias_name: "one" };
  await suite.track({
    attributes: [
      { external_id: source, email: sourceEmail, first_name: "Ann" },
      { external_id: target, email, phone, color: "blue", shape: { side: 1 }, current_location: { latitude: 1, longitude: 2 } },
    ],
    events: [{ external_id: target, name: "sign up", time: "2026-01-01T00:00:00Z" }],
    purchases: [{ external_id: target, product_id: "sku-1", currency: "USD", price: 1, time: "2026-01-01T00:00:00Z" }],
  });
  await suite.accept("/users/alias/new", { user_aliases: [{ external_id: source, ...alias }] });
  const [sourceId, targetId] = [await idOf(source), await idOf(target)];
  await expect.poll(() => changedOf(sourceId)).toEqual({
    externalId: source,
    fields: ["email", "external_id", "first_name", "user_aliases"],
  });
  await expect.poll(() => changedOf(targetId)).toEqual({
    externalId: target,
    fields: ["custom_attributes", "custom_events", "email", "external_id", "last_coordinates", "phone", "purchases", "total_revenue"],
    customAttributes: ["color", "shape"],
    customEvents: ["sign up"],
    products: ["sku-1"],
  });

  await suite.post("/users/external_ids/rename", {
    external_id_renames: [{ current_external_id: target, new_external_id: renamed }],
  });
  await suite.merge(source, renamed);
  await expect.poll(() => told("profile.user.merged.v1", sourceId)).toMatchObject([{
    targetExternalId: renamed,
    gone: { externalIds: [source], emails: [sourceEmail] },
  }]);
  await suite.post("/users/delete", { external_ids: [renamed] });
  await expect.poll(() => told("profile.user.deleted.v1", targetId)).toMatchObject([{
    gone: {
      externalIds: [renamed, target],
      emails: [email],
      phones: [phone],
      aliases: [{ label: alias.alias_label, name: alias.alias_name }],
    },
  }]);
  const all = await events();
  expect(all.filter(({ key }) => key === "")).toEqual([]);
  expect(all.filter(({ subject }) => subject === "profile.user.deleted.v1").map(({ key }) => key)).toContain(targetId);
});

/** All that events ever reported as set on a user, sorted, with the last external id; lists that are empty are left out. */
async function changedOf(userId: unknown): Promise<object> {
  const changed: Record<string, Set<string>> = {};
  let externalId: unknown;
  for (const payload of await told("profile.user.updated.v1", userId)) {
    const { users } = payload as { users: ({ userId: string; externalId: string } & Record<string, string[]>)[] };
    for (const user of users.filter((one) => one.userId === userId)) {
      externalId = user.externalId;
      for (const list of ["fields", "customAttributes", "customEvents", "products"]) {
        for (const name of user[list] ?? []) (changed[list] ??= new Set()).add(name);
      }
    }
  }
  return { externalId, ...Object.fromEntries(Object.entries(changed).map(([list, names]) => [list, [...names].sort()])) };
}
