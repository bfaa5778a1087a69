/** What lists remember: the nearest place, one look for all who ask, and no more than they may keep. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { openListMemory } from "./list-memory.ts";

function of(list: string, companyId = "company"): { readonly companyId: string; readonly list: string } {
  return { companyId, list };
}

test("anchor() gives the nearest place at or before an index, of the same list only", () => {
  const memory = openListMemory();
  for (const [index, key] of [[10, "j"], [20, "t"], [30, "z"]] as const) memory.remember("a", { index, key });
  expect(memory.anchor("a", 9)).toBeUndefined();
  expect(memory.anchor("a", 10)?.key).toBe("j");
  expect(memory.anchor("a", 29)?.key).toBe("t");
  expect(memory.anchor("b", 29)).toBeUndefined();
});

test("result() looks once for all who ask at once, and again after a failure", async () => {
  const memory = openListMemory();
  let looks = 0;
  async function find(): Promise<readonly string[]> {
    looks += 1;
    if (looks === 1) throw new Error("the store is away");
    return ["a"];
  }
  const failed = await Promise.allSettled([memory.result(of("l"), find), memory.result(of("l"), find)]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(looks).toBe(1);
  expect(await Promise.all([memory.result(of("l"), find), memory.result(of("l"), find)])).toEqual([["a"], ["a"]]);
  expect(looks).toBe(2);
});

test("result() looks one after the other, and refuses when too many wait", async () => {
  const memory = openListMemory();
  const gate = Promise.withResolvers<readonly string[]>();
  let running = 0;
  let most = 0;
  async function find(): Promise<readonly string[]> {
    most = Math.max(most, ++running);
    await gate.promise;
    running -= 1;
    return [];
  }
  const all = Array.from({ length: limits.scimScansWaitingMax + 1 }, (_, at) => memory.result(of(String(at), String(at)), find));
  const settled = Promise.allSettled(all);
  gate.resolve([]);
  expect((await settled).map(({ status }) => status)).toEqual([...Array(limits.scimScansWaitingMax).fill("fulfilled"), "rejected"]);
  await expect(all.at(-1)).rejects.toMatchObject({ reason: "OVERLOADED" });
  expect(most).toBe(1);
});

test("result() refuses a company that asks for too much, and looks for others meanwhile, of each in turn", async () => {
  const memory = openListMemory();
  const gate = Promise.withResolvers<readonly string[]>();
  const looked: string[] = [];
  function ask(list: string, companyId: string): Promise<readonly string[]> {
    return memory.result(of(list, companyId), async () => {
      looked.push(list);
      return await gate.promise;
    });
  }
  const large = Array.from({ length: limits.scimScansWaitingMax }, (_, at) => ask(`large ${at}`, "large"));
  const small = [ask("small 0", "small"), ask("small 1", "small")];
  const settled = Promise.allSettled(large);
  gate.resolve([]);
  await Promise.all(small);
  const taken = 1 + limits.scimScansWaitingOfCompanyMax;
  expect((await settled).map(({ status }) => status)).toEqual(large.map((_, at) => at < taken ? "fulfilled" : "rejected"));
  await expect(large.at(-1)).rejects.toMatchObject({ reason: "OVERLOADED" });
  expect(looked.slice(0, 5)).toEqual(["large 0", "large 1", "small 0", "large 2", "small 1"]);
});

test("result() keeps no more lists and ids than it may", async () => {
  const memory = openListMemory();
  let looks = 0;
  async function look(list: string, size: number): Promise<void> {
    await memory.result(of(list), async () => {
      looks += 1;
      return Array<string>(size).fill("x");
    });
  }
  await look("small", 1);
  await look("half", limits.scimResultIdsKeptMax / 2);
  await look("half", 0);
  expect(looks).toBe(2);
  await look("whole", limits.scimResultIdsKeptMax);
  await look("half", 1);
  expect(looks).toBe(4);
  for (let at = 0; at < limits.scimResultsKept; at += 1) await look(`n${at}`, 1);
  await look("half", 1);
  expect(looks).toBe(4 + limits.scimResultsKept + 1);
});

/** A search that ends only when it is aborted. */
function endless() {
  const seen = { begun: 0, stopped: 0 };
  function find(stop: AbortSignal): Promise<readonly string[]> {
    seen.begun += 1;
    return new Promise((_found, reject) => {
      stop.addEventListener("abort", () => {
        seen.stopped += 1;
        reject(stop.reason as Error);
      });
    });
  }
  return { seen, find };
}

test("result() goes on as long as one waits for it, and ends when the last has gone", async () => {
  const memory = openListMemory();
  const { seen, find } = endless();
  const clients = Array.from({ length: 3 }, () => new AbortController());
  const all = Promise.allSettled(clients.map(({ signal }) => memory.result(of("l"), find, signal)));
  for (const client of clients.slice(1)) client.abort();
  await Promise.resolve();
  expect(seen).toEqual({ begun: 1, stopped: 0 });
  clients[0]?.abort();
  expect((await all).map((one) => one.status === "rejected" && (one.reason as { reason: string }).reason)).toEqual(
    clients.map(() => "DEADLINE_EXCEEDED"),
  );
  expect(seen).toEqual({ begun: 1, stopped: 1 });
  // Who comes now gets none of it
  expect(await memory.result(of("l"), async () => ["a"], new AbortController().signal)).toEqual(["a"]);
});

test("result() keeps what was found, and goes on for one who cannot hang up", async () => {
  const memory = openListMemory();
  const client = new AbortController();
  expect(await memory.result(of("l"), async () => ["a"], client.signal)).toEqual(["a"]);
  client.abort();
  expect(await memory.result(of("l"), async () => ["b"])).toEqual(["a"]);
  const { seen, find } = endless();
  const other = new AbortController();
  void memory.result(of("m"), find, other.signal).catch(() => {});
  void memory.result(of("m"), find).catch(() => {});
  other.abort();
  await Promise.resolve();
  expect(seen).toEqual({ begun: 1, stopped: 0 });
});

test("result() of clients that hang up while they wait for their turn is never looked for, and takes nobody's place", async () => {
  const memory = openListMemory();
  const gate = Promise.withResolvers<readonly string[]>();
  const first = memory.result(of("first"), () => gate.promise);
  const { seen, find } = endless();
  for (let round = 0; round < 3; round += 1) {
    const clients = Array.from({ length: limits.scimScansWaitingMax - 1 }, () => new AbortController());
    const waiting = clients.map(({ signal }, at) => memory.result(of(`${round} ${at}`, String(at)), find, signal));
    for (const client of clients) client.abort();
    const gone = new AbortController();
    gone.abort();
    const settled = Promise.allSettled([...waiting, memory.result(of("gone"), find, gone.signal)]);
    if (round < 2) continue;
    gate.resolve(["a"]);
    for (const { status } of await settled) expect(status).toBe("rejected");
  }
  expect(await first).toEqual(["a"]);
  expect(await memory.result(of("last"), async () => ["z"])).toEqual(["z"]);
  expect(seen).toEqual({ begun: 0, stopped: 0 });
});
