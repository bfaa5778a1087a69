/** kill -9 under load: nothing answered is lost, and what is repeated with its key counts once. */
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { startHeddle } from "../heddle.ts";
import { compareJournal, emptyJournal, type JournalClient, writeJournal } from "../journal.ts";
import { seededRandom } from "../random.ts";
import { fresh } from "../suite.ts";

const kills = 10;
const connections = 16;

test("kill -9 under load ten times loses no answered write and repeats no keyed one", async () => {
  const random = seededRandom(9);
  const heddle = await startHeddle();
  try {
    const client: JournalClient = {
      post: (path, body, options) => heddle.request("POST", path, body, options),
      refusals: [409, 429, 503],
      pauseMs: 20,
    };
    const load = { over: false };
    const written = Array.from({ length: connections }, emptyJournal);
    const clients = written.map((journal) => writeJournal(client, load, journal));
    /** However slow the machine is, no kill comes before each client had an answer since the last. */
    async function everyClientWrote(): Promise<void> {
      const before = written.map(({ keyedAcked }) => keyedAcked);
      await expect.poll(() => written.every(({ keyedAcked }, at) => keyedAcked > (before[at] ?? 0))).toBe(true);
    }
    for (let kill = 0; kill < kills; kill += 1) {
      await everyClientWrote();
      await setTimeout(100 + random() * 400);
      await heddle.restart("SIGKILL");
    }
    await everyClientWrote();
    load.over = true;
    const journals = await Promise.all(clients);
    for (const journal of journals) await compareJournal(client, journal);
    expect(Math.min(...journals.map((journal) => journal.keyedAcked))).toBeGreaterThan(kills);
  } finally {
    expect(await heddle.close()).toBe(0);
  }
});

test("what was answered before kill -9 is there at the first read after the restart", async () => {
  const heddle = await startHeddle();
  try {
    for (let round = 1; round <= 5; round += 1) {
      const ids = Array.from({ length: 20 }, () => fresh());
      const answers = await Promise.all(
        ids.map((external_id) => heddle.request("POST", "/users/track", { attributes: [{ external_id, round }] })),
      );
      expect(answers.map((answer) => answer.status)).toEqual(ids.map(() => 201));
      await heddle.restart("SIGKILL");
      const read = await heddle.request("POST", "/users/export/ids", { external_ids: ids });
      expect(read.body.users).toHaveLength(ids.length);
    }
  } finally {
    expect(await heddle.close()).toBe(0);
  }
});
