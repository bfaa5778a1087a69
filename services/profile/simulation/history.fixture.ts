/** Random histories of a small workspace: few users with many names, so that everything meets everything. */
import { attributes, bodyOf, byAlias, byEmail, byId, event, type Request, start } from "../domain/resolve/resolver-workspace.fixture.ts";
import type { Idempotency, IntakeRecord } from "../domain/record/intake-record.ts";
import type { TrackObject } from "../domain/record/track-object.ts";
import type { UserKey, UserSelector } from "../domain/record/user-key.ts";
import type { World } from "./world.fixture.ts";

export type Entry = Omit<IntakeRecord, "sequence">;

export function randomHistory(world: World, length: number): Entry[] {
  const jobs = { made: 0 };
  let at = start;
  return Array.from({ length }, (_, index) => {
    at += world.pick(3) * 500;
    const idempotency = world.chance(0.15) ? keyOf(world) : undefined;
    const workspaceId = world.chance(0.85) ? "w" : "v";
    const entry = { workspaceId, requestId: `q${index}`, actor: "key", receivedAt: at, body: bodyOf(randomRequest(world, jobs)) };
    return idempotency === undefined ? entry : { ...entry, idempotency };
  });
}

function randomRequest(world: World, jobs: { made: number }): Request {
  const kind = world.pick(23);
  if (kind >= 20) return randomConsent(world);
  if (kind < 9) return Array.from({ length: 1 + world.pick(4) }, () => randomObject(world));
  if (kind < 10) {
    return { type: "createAliases", aliases: [{ ...(world.chance(0.7) && { externalId: randomId(world) }), alias: randomAlias(world) }] };
  }
  if (kind < 14) {
    jobs.made += 1;
    return { type: "mergeUsers", jobId: `j${jobs.made}`, updates: [{ source: selectorOf(world), target: selectorOf(world) }] };
  }
  if (kind < 17) return { type: "undoMerge", jobId: `j${jobs.made - world.pick(2)}`, index: 0 };
  if (kind < 18) {
    jobs.made += 1;
    return {
      type: "identifyUsers",
      jobId: `j${jobs.made}`,
      identifications: [{ user: { key: byAlias("l", `${world.pick(3)}`), prioritization: [] }, externalId: randomId(world) }],
    };
  }
  if (kind < 19) return { type: "deleteUsers", users: [selectorOf(world)] };
  return { type: "renameExternalIds", renames: [{ current: randomId(world), next: randomId(world) }] };
}

/** What the services that own consent append. */
function randomConsent(world: World): Request {
  const emails = [`${world.pick(2)}@b.c`];
  if (world.chance(0.3)) return { type: "setEmailStatuses", emails, status: world.chance(0.5) ? "opted_in" : "unsubscribed" };
  const named = world.chance(0.5) ? { externalIds: [], emails } : { externalIds: [randomId(world)], emails: [] };
  return { type: "setMemberships", updates: [{ groupId: "g", state: stateOf(world), ...named, phones: [], userIds: [] }] };
}

function stateOf(world: World): "subscribed" | "unsubscribed" {
  return world.chance(0.5) ? "subscribed" : "unsubscribed";
}

function randomObject(world: World): TrackObject {
  const user = randomKey(world);
  if (world.chance(0.5)) return event(user, { name: world.chance(0.1) ? "bad" : `e${world.pick(2)}`, updateOnly: user.by === "alias" });
  const email = world.chance(0.4) && user.by !== "email" ? { email: `${world.pick(2)}@b.c` } : {};
  return attributes(user, {
    ...email,
    ...(world.chance(0.3) &&
      { consent: { emailSubscribe: "unsubscribed" as const, subscriptionGroups: [{ id: "g", state: stateOf(world) }] } }),
    custom: [["n", { op: "increment", by: 1 + world.pick(5) }], ["s", { op: "members", add: [world.pick(4)], remove: [] }]],
  });
}

function randomKey(world: World): UserKey {
  const kind = world.pick(10);
  if (kind < 7) return byId(randomId(world));
  return kind < 9 ? byAlias("l", `${world.pick(3)}`) : byEmail(`${world.pick(2)}@b.c`);
}

function randomId(world: World): string {
  return ["a", "b", "c", "d"][world.pick(4)] ?? "";
}

function randomAlias(world: World): { label: string; name: string } {
  return { label: "l", name: `${world.pick(3)}` };
}

function selectorOf(world: World): UserSelector {
  return { key: randomKey(world), prioritization: ["most_recently_updated"] };
}

function keyOf(world: World): Idempotency {
  return { keyHash: `0${world.pick(4)}`, bodyHash: `0${world.pick(2)}`, keepMs: 1_000, answer: "" };
}
