/** Where commands find translations: in a data folder, or in the mesh whose settings the environment holds. */
import type { Client } from "@connectrpc/connect";
import { systemClock } from "../platform/clock.ts";
import { limits } from "../platform/limits.ts";
import { readOptionalPeer } from "../platform/mesh-config.ts";
import { directClient } from "../platform/rpc/direct.ts";
import type { Database } from "../platform/sqlite/database.ts";
import { TranslationService } from "../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { openTranslations } from "../services/content/wire.ts";
import { readSettings } from "./settings.ts";

export interface TranslationsPlace {
  /** Of the data folder; without it the content service is called, at HEDDLE_CONTENT_URL. */
  readonly database: Database | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/** Undefined where nothing says where the content service is. Calls are made in the name of the gateway, which may make them. */
export async function withTranslations<T>(
  { database, env = process.env }: TranslationsPlace,
  work: (translations: Client<typeof TranslationService>) => Promise<T>,
): Promise<T | undefined> {
  if (database) return await work(directClient(TranslationService, await openTranslations(database, systemClock)));
  const peer = readSettings(env, (reader) => ({ content: readOptionalPeer(reader, "content") })).content;
  if (peer === undefined) return undefined;
  const deadlineMs = limits.drainMsMax;
  const { connectClient } = await import("../platform/rpc/client.ts");
  const { client, close } = connectClient(TranslationService, { ...peer, caller: "gateway", deadlineMs, clock: systemClock });
  try {
    return await work(client);
  } finally {
    close();
  }
}
