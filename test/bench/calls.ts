/** `node test/bench/calls.ts [--in-flight 32]`: CPU of a call in both processes, waiting calls together and each alone; never part of a timed test. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { callPart, servePart } from "../../platform/rpc/part.fixture.ts";

const { values } = parseArgs({
  options: {
    server: { type: "boolean", default: false },
    "in-flight": { type: "string", default: "32" },
    calls: { type: "string", default: "4000" },
    rounds: { type: "string", default: "3" },
    /** How long the log takes for a write, which all calls share that came meanwhile, in milliseconds. */
    "durable-ms": { type: "string", default: "3" },
  },
});
const scope = { workspaceId: "ws_bench", requestId: "req_bench", actor: "key_bench", route: "/users/track" };
const event = { external_id: "user-1234567890", name: "opened", time: "2026-11-22T10:00:00Z", properties: { a: 1, b: "xyz" } };
const request = { scope, bodyJson: Buffer.from(JSON.stringify({ events: [event] })), objectsPerArrayMax: 75 };

if (values.server) await serve();
else await measure();

async function serve(): Promise<void> {
  let write: Promise<void> | undefined;
  function durable(): Promise<void> {
    return write ??= setTimeout(Number(values["durable-ms"])).then(() => void (write = undefined));
  }
  const server = await servePart({
    async trackUsers() {
      await durable();
      return { position: "MDoxMjM0NQ", eventsProcessed: 1 };
    },
  });
  let began = process.cpuUsage();
  process.on("message", () => {
    const { user, system } = process.cpuUsage(began);
    began = process.cpuUsage();
    process.send?.({ micros: user + system });
  });
  process.send?.({ url: server.url });
}

async function measure(): Promise<void> {
  const child = fork(import.meta.filename, ["--server", "--durable-ms", values["durable-ms"]]);
  const [{ url }] = await once(child, "message") as [{ url: string }];
  const clients = { together: callPart([url], { shared: ["trackUsers"] }), alone: callPart([url]) };
  const kinds = ["together", "alone"] as const;
  for (const kind of kinds) await load(clients[kind].client);
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const kind of kinds) console.log(kind, await costOf(child, clients[kind].client));
  }
  for (const { close } of Object.values(clients)) close();
  child.kill();
}

type ProfileClient = ReturnType<typeof callPart>["client"];

async function load(client: ProfileClient): Promise<void> {
  let left = Number(values.calls);
  await Promise.all(Array.from({ length: Number(values["in-flight"]) }, async () => {
    while (left-- > 0) await client.trackUsers(request);
  }));
}

async function costOf(child: ChildProcess, client: ProfileClient): Promise<string> {
  await serverMicros(child);
  const began = process.cpuUsage();
  await load(client);
  const { user, system } = process.cpuUsage(began);
  const own = (user + system) / Number(values.calls);
  const other = await serverMicros(child) / Number(values.calls);
  return `client ${own.toFixed(0)} us, server ${other.toFixed(0)} us, both ${(own + other).toFixed(0)} us a call`;
}

/** Since it was asked for last. */
async function serverMicros(child: ChildProcess): Promise<number> {
  child.send("cpu");
  const [{ micros }] = await once(child, "message") as [{ micros: number }];
  return micros;
}
