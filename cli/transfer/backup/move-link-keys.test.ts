/** Keys of links that a move takes along: all of them with everything, and with one workspace what makes links of it alone. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { type LinkKeys, sharedRing } from "../../../platform/link-keys.ts";
import { newSealKey, seal, type SealKey } from "../../../platform/sealed-token.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { openUnsubscribeLinks } from "../../../services/messaging-status/links/unsubscribe-links.ts";
import { moveContent } from "../../../services/content/wire.ts";
import { copyLinkKeys } from "./move-link-keys.ts";

const moved = { what: "page links", keyspace: "KEYSPACE" };
const clock = fakeClock();

async function sideOf(): Promise<LinkKeys> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-links-"));
  const database = openDatabase({ path: join(folder, "heddle.db") });
  onTestFinished(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });
  return (await moveContent(database, clock)).linkKeys;
}

const mine = { workspaceId: "w1", email: "a@example.com", groupId: "" };
const theirs = { workspaceId: "w2", email: "b@example.com", groupId: "" };

/** As links were sealed before each workspace had keys of its own. */
async function earlierLink(keys: LinkKeys): Promise<string> {
  await keys.add(sharedRing, newSealKey, { unlessAny: true });
  const [key] = await keys.all(sharedRing) as [SealKey];
  return seal(key, { purpose: "heddle unsubscribe 1" }, JSON.stringify([mine.workspaceId, mine.email, mine.groupId]));
}

test("one workspace takes along what opens its links, and nothing that makes or opens those of others", async () => {
  const [from, to] = [await sideOf(), await sideOf()];
  const [here, there] = [openUnsubscribeLinks(from), openUnsubscribeLinks(to)];
  const [sent, others, earlier] = [await here.make(mine), await here.make(theirs), await earlierLink(from)];
  const leftOut = await copyLinkKeys({ from, to }, { whole: false, sharedLinkKeys: false, workspaceIds: new Set(["w1"]) }, moved);
  expect(leftOut).toEqual([expect.stringContaining("the keys of page links")]);
  expect(await there.open(sent)).toEqual(mine);
  for (const token of [others, earlier]) await expect(there.open(token)).rejects.toMatchObject({ reason: "NOT_FOUND" });
  // A link of another workspace that is made with the copy opens nothing where that workspace lives
  await expect(here.open(await there.make(theirs))).rejects.toMatchObject({ reason: "NOT_FOUND" });
});

test("links of earlier versions come along with one workspace where that is asked for", async () => {
  const [from, to] = [await sideOf(), await sideOf()];
  const earlier = await earlierLink(from);
  await copyLinkKeys({ from, to }, { whole: false, sharedLinkKeys: true, workspaceIds: new Set(["w1"]) }, moved);
  expect(await openUnsubscribeLinks(to).open(earlier)).toEqual(mine);
});

test("with everything every link stays good, a copy may be repeated, and other keys that are there already are refused", async () => {
  const [from, to, used] = [await sideOf(), await sideOf(), await sideOf()];
  const here = openUnsubscribeLinks(from);
  const all = { whole: true, sharedLinkKeys: true, workspaceIds: new Set(["w1", "w2"]) };
  const tokens = [await here.make(mine), await here.make(theirs), await earlierLink(from)];
  for (let turn = 0; turn < 2; turn += 1) await copyLinkKeys({ from, to }, all, moved);
  const opened = await Promise.all(tokens.map((token) => openUnsubscribeLinks(to).open(token)));
  expect(opened).toEqual([mine, theirs, mine]);
  await openUnsubscribeLinks(used).make(mine);
  await expect(copyLinkKeys({ from, to: used }, all, moved)).rejects.toThrow("There are other keys of page links already");
});
