/** heddle start and declared subscription groups: it makes those that are not there, changes no others, and starts all the same. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseDeclaration } from "../../gateway/access/declaration/declaration.ts";
import { declare } from "../../gateway/access/declare/declare.ts";
import { connectClient } from "../../platform/rpc/client.ts";
import { Channel, SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { type HeddleProcess, launchHeddle } from "../../test/heddle-process.ts";
import { subscriptionIn } from "../target/consent-target.ts";
import { withAccess } from "../target/data-folder.ts";

let folder = "";
let dataDir = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-start-groups-"));
  dataDir = join(folder, "data");
});

afterEach(() => rmSync(folder, { recursive: true }));

const text = `companies: [{ name: acme, workspaces: [{ id: ws_demo, name: demo, subscriptionGroups: [
  { id: letter, name: Letter, channel: email }, { id: news, name: News, channel: email }] }] }]`;
const scope = { workspaceId: "ws_demo", requestId: "r", actor: "app" };

/** Runs `work` while a server runs, which has to end well. */
async function whileStarted(args: readonly string[], work: (server: HeddleProcess) => Promise<void>): Promise<void> {
  const env = { HEDDLE_DATA_DIR: dataDir, HEDDLE_HTTP_PORT: "0", HEDDLE_RPC_PORT: "0" };
  const program = [resolve(import.meta.dirname, "../heddle.mjs"), "start", ...args];
  const server = await launchHeddle({ program: process.execPath, args: program, folder, env });
  try {
    await work(server);
  } finally {
    server.kill("SIGTERM");
    expect(await server.ended).toBe(0);
  }
}

/** The ids of the groups, of those that are archived with a word. */
async function listed(server: HeddleProcess, archive?: string): Promise<string[]> {
  const address = /RPCs are served on (\S+)/.exec(server.output())?.[1] ?? "";
  const { client, close } = connectClient(SubscriptionService, { addresses: [address], caller: "client", deadlineMs: 15_000 });
  try {
    if (archive !== undefined) await client.archiveGroup({ scope, subscriptionGroupId: archive });
    const { groups } = await client.listGroups({ scope });
    return groups.map(({ id, archived }) => (archived ? `${id} archived` : id)).toSorted();
  } finally {
    close();
  }
}

/** As a process leaves it that is killed before the groups are made; `others` were made elsewhere. */
async function killedBetween(others: number): Promise<void> {
  await withAccess(dataDir, async (access, database) => {
    await declare(access, parseDeclaration(text));
    const groups = Array.from({ length: others }, (_, at) => ({ id: `other${at}`, name: `Other ${at}`, channel: Channel.SMS }));
    await (await subscriptionIn(database)).declareGroups({ scope, groups });
  }, { create: true });
}

test(
  "a declared group that was archived stays archived at a restart, and is active again with the next apply",
  { timeout: 60_000 },
  async () => {
    const file = join(folder, "heddle.yaml");
    writeFileSync(file, text);
    await whileStarted(["--apply", file], async (server) => {
      expect(await listed(server, "letter")).toEqual(["letter archived", "news"]);
    });
    await whileStarted([], async (server) => expect(await listed(server)).toEqual(["letter archived", "news"]));
    await whileStarted(["--apply", file], async (server) => expect(await listed(server)).toEqual(["letter", "news"]));
  },
);

test("groups of a process that was killed between declaring and making them are made at the next start", { timeout: 60_000 }, async () => {
  await killedBetween(1);
  await whileStarted([], async (server) => expect(await listed(server)).toEqual(["letter", "news", "other0"]));
});

test("where there is no room for them it is said, and the server starts", { timeout: 60_000 }, async () => {
  await killedBetween(99);
  await whileStarted([], async (server) => {
    const line = server.output().split("\n").find((one) => one.includes('"groups_not_declared"')) ?? "null";
    const said = { workspaceId: "ws_demo", message: expect.stringMatching(/^A workspace has at most 100 /) as string };
    expect(JSON.parse(line), server.output()).toMatchObject(said);
    expect(await listed(server)).toHaveLength(99);
  });
});
