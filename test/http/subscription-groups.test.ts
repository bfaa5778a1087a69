/** Subscription groups that are archived and come back: what was answered before counts, and what was asked for meanwhile does not. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { groupState } from "../consent.ts";
import { declared } from "../declaration.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const letter = "11111111-1111-4111-8111-111111111111";
const groups = [{ id: letter, name: "Letter", channel: "email" }];

function declaration(subscriptionGroups: readonly object[]): string {
  return declared({ demo: { subscriptionGroups } });
}

const heddle = heddleSuite({ apply: declaration(groups) });
const folder = mkdtempSync(join(tmpdir(), "heddle-groups-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function apply(subscriptionGroups: readonly object[]): Promise<void> {
  const file = join(folder, "declaration.yaml");
  writeFileSync(file, declaration(subscriptionGroups));
  const { code, errors } = await runCommand(["apply", "-f", file, "--prune"], heddle.heddle.commandEnv);
  expect(code, errors).toBe(0);
}
const archive = () => apply([]);
const declare = () => apply(groups);

const perRequest = 75;
const perRead = 50;

/** Users who share an email; all of them have the state in the group. */
async function sharers(count: number, state: string): Promise<{ readonly email: string; readonly ids: readonly string[] }> {
  const email = freshEmail();
  const ids = Array.from({ length: count }, () => fresh());
  for (let at = 0; at < count; at += perRequest) {
    await heddle.track({ attributes: ids.slice(at, at + perRequest).map((external_id) => ({ external_id, email })) });
  }
  await set(email, state);
  await expect.poll(() => statesOf(ids), { timeout: 120_000, interval: 1_000 }).toEqual({ [shown(state)]: count });
  return { email, ids };
}

function set(email: string, state: string) {
  return heddle.accept("/subscription/status/set", { subscription_group_id: letter, subscription_state: state, email: [email] });
}

function shown(state: string): string {
  return state === "subscribed" ? "Subscribed" : "Unsubscribed";
}

/** How many have which state, once all that was answered is applied to them. */
async function statesOf(ids: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let at = 0; at < ids.length; at += perRead) {
    const query = new URLSearchParams({ subscription_group_id: letter });
    for (const id of ids.slice(at, at + perRead)) query.append("external_id", id);
    const { status, body, headers, text } = await heddle.get(`/subscription/status/get?${query}`);
    expect(status, text).toBe(200);
    const behind = headers.get("x-heddle-read") === "behind" ? " (behind)" : "";
    for (const state of Object.values(body["status"] as Record<string, string>)) {
      counts[state + behind] = (counts[state + behind] ?? 0) + 1;
    }
  }
  return counts;
}

test("an unsubscribe of 3,000 sharers counts for all of them, also where its group is archived meanwhile, and comes back", async () => {
  const { email, ids } = await sharers(3_000, "subscribed");
  await set(email, "unsubscribed");
  await archive();
  await set(email, "subscribed");
  await declare();
  await expect.poll(() => statesOf(ids), { timeout: 120_000, interval: 1_000 }).toEqual({ Unsubscribed: 3_000 });
}, 300_000);

test("so it does where every process is killed before it is applied, and starts again", async () => {
  const { email, ids } = await sharers(600, "subscribed");
  await set(email, "unsubscribed");
  await archive();
  // The servers apply their declaration, which has the group, when they start
  await heddle.heddle.restart("SIGKILL");
  await expect.poll(() => statesOf(ids), { timeout: 120_000, interval: 1_000 }).toEqual({ Unsubscribed: 600 });
}, 300_000);

test("what waited for somebody who appears while the group is archived counts by when it was asked for", async () => {
  const [before, meanwhile, both] = [freshEmail(), freshEmail(), freshEmail()];
  const ids = [fresh(), fresh(), fresh()];
  await set(before, "unsubscribed");
  await set(before, "subscribed");
  await set(both, "unsubscribed");
  await archive();
  await set(meanwhile, "unsubscribed");
  await set(both, "subscribed");
  await heddle.track({ attributes: [before, meanwhile, both].map((email, at) => ({ external_id: ids[at], email })) });
  await declare();
  const states = await Promise.all(ids.map((external_id) => groupState(heddle, letter, { external_id })));
  expect(states).toEqual(["Subscribed", "Unknown", "Unsubscribed"]);
});

test("heddle apply answers when every process knows the groups: the next request is judged by them", async () => {
  for (let round = 0; round < 3; round += 1) {
    const group = `22222222-2222-4222-8222-00000000000${round}`;
    const id = fresh();
    await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
    await apply([...groups, { id: group, name: `Group ${round}`, channel: "email" }]);
    await heddle.accept("/subscription/status/set", {
      subscription_group_id: group,
      subscription_state: "subscribed",
      external_id: id,
    });
    expect(await groupState(heddle, group, { external_id: id })).toBe("Subscribed");
  }
});

test("a workspace has up to 100 groups, and is told so where it declares more", async () => {
  const many = Array.from({ length: 101 - groups.length }, (_, at) => ({ id: `many-${at}`, name: `Many ${at}`, channel: "sms" }));
  await apply([...groups, ...many.slice(1)]);
  await expect(apply([...groups, ...many])).rejects.toThrow(/100/);
  await declare();
});
