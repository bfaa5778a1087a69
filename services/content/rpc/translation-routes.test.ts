/** What is declared goes over the wire however large its sources are, as nobody needs them whole. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { connectClient, type RpcClient } from "../../../platform/rpc/client.ts";
import { serveService } from "../../../platform/rpc/part.fixture.ts";
import type { RpcServer } from "../../../platform/rpc/server.ts";
import { type Database, openDatabase } from "../../../platform/sqlite/database.ts";
import { MessageOwnerKind, TranslationService } from "../../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import type { TranslationStore } from "../domain/translation-ports.ts";
import { translationRoutes } from "./translation-routes.ts";
import { directClient } from "../../../platform/rpc/direct.ts";
import { openTranslations } from "../wire.ts";

const scope = { workspaceId: "w" };
let database: Database;
let server: RpcServer;
let rpc: RpcClient<typeof TranslationService>;
beforeEach(async () => {
  database = openDatabase({ path: ":memory:" });
  server = await serveService(TranslationService, await openTranslations(database, fakeClock()));
  rpc = connectClient(TranslationService, { addresses: [server.url], caller: "gateway", deadlineMs: 10_000 });
});
afterEach(async () => {
  rpc.close();
  await server.close();
  await database.close();
});

async function declare(name: string, text: string): Promise<void> {
  await declareTexts(name, [{ id: "id_0", text }]);
}

async function declareTexts(name: string, texts: { readonly id: string; readonly text: string }[]): Promise<void> {
  const variation = { name: "A", channel: "email", locales: { names: ["fr"] }, source: { texts } };
  await rpc.client.declareTranslations({
    scope,
    settings: { enabled: true, locales: [{ name: "fr" }] },
    owners: [{ kind: MessageOwnerKind.CAMPAIGN, name, steps: [{ variations: [variation] }] }],
  });
}

/** Of each campaign, by name. */
async function sources(sourceCharsMax?: number) {
  const { owners } = await rpc.client.getDeclaredTranslations({ scope, ...(sourceCharsMax !== undefined && { sourceCharsMax }) });
  const named = owners.map(({ name, steps }) => [name, steps[0]?.variations[0]?.source?.texts.map(({ text }) => text)] as const);
  return Object.fromEntries(named);
}

test("GetDeclaredTranslations gives whole sources unless it is asked for less", async () => {
  await declare("long", "Bonjour");
  await declare("short", "Hi");
  expect(await sources()).toEqual({ long: ["Bonjour"], short: ["Hi"] });
  expect(await sources(3)).toEqual({ long: ["Bon"], short: ["Hi"] });
  expect(await sources(0)).toEqual({ long: undefined, short: undefined });
});

test("GetDeclaredTranslations answers where all sources together are larger than an answer may be", async () => {
  for (const name of ["first", "second"]) await declare(name, "x".repeat(13_000_000));
  expect(await sources(0)).toEqual({ first: undefined, second: undefined });
  expect(await sources(201)).toEqual({ first: ["x".repeat(201)], second: ["x".repeat(201)] });
});

test("GetDeclaredTranslations holds a few sources at a time, which may have 20 MB each", async () => {
  const variations = Array.from({ length: 60 }, (_, at) => ({ id: `${at}`, name: `${at}`, channel: "email", localeIds: [] }));
  let [held, most] = [0, 0];
  const store: Partial<TranslationStore> = {
    declared: async () => ({
      revision: 1,
      settings: undefined,
      owners: [{ kind: "campaign", id: "c", name: "C", steps: [{ id: "", name: "", variations }] }],
    }),
    async texts(_, keys) {
      held += keys.length;
      most = Math.max(most, held);
      await new Promise((resolve) => setImmediate(resolve));
      held -= keys.length;
      return keys.map(() => new Map([["id_0", "Hello"]]));
    },
  };
  const deps = { store: store as TranslationStore, clock: fakeClock(), newId: () => "" };
  const client = directClient(TranslationService, translationRoutes(deps), deps.clock);
  const { owners } = await client.getDeclaredTranslations({ scope, sourceCharsMax: 3 });
  expect(owners[0]?.steps[0]?.variations.at(-1)?.source?.texts).toMatchObject([{ text: "Hel" }]);
  expect(most).toBeLessThanOrEqual(8);
});

test("GetDeclaredTranslations leaves out sources whose beginnings together are larger than an answer may be, and says so", async () => {
  const texts = Array.from({ length: 10_000 }, (_, at) => ({ id: `id_${at}`, text: "\u20ac".repeat(201) }));
  for (const name of ["first", "second", "third", "fourth", "fifth"]) await declareTexts(name, texts);
  const { owners, more } = await rpc.client.getDeclaredTranslations({ scope, sourceCharsMax: 201 });
  const lengths = owners.map(({ steps }) => steps[0]?.variations[0]?.source?.texts.length);
  expect(more).toBe(true);
  expect(lengths).toHaveLength(5);
  expect([lengths.includes(10_000), lengths.includes(0)]).toEqual([true, true]);
});
