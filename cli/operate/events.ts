/** heddle events: the events that services published, from the mesh or from the data folder, a line of JSON each. */
import {
  type DescMessage,
  fromBinary,
  getOption,
  hasOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { systemClock } from "../../platform/clock.ts";
import type { Events, KeptEvent } from "../../platform/events/events.ts";
import { readEventStream } from "../../platform/events/jetstream.ts";
import { openSqliteEvents } from "../../platform/events/sqlite.ts";
import { limits } from "../../platform/limits.ts";
import { silentLogger } from "../../platform/logger.ts";
import { readEvents } from "../../platform/mesh-config.ts";
import { subject as subjectOption } from "../../proto/gen/heddle/event/v1/event_pb.ts";
import { file_heddle_messaging_status_v1_messaging_status_event as statusEvents } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_event_pb.ts";
import { file_heddle_profile_v1_profile_event as profileEvents } from "../../proto/gen/heddle/profile/v1/profile_event_pb.ts";
import { file_heddle_scim_v1_scim_event as scimEvents } from "../../proto/gen/heddle/scim/v1/scim_event_pb.ts";
import { file_heddle_subscription_v1_subscription_event as subscriptionEvents } from "../../proto/gen/heddle/subscription/v1/subscription_event_pb.ts";
import { dataFolder, isMesh, withAccess } from "../target/data-folder.ts";
import { exitCodes, isoTime, printData, UsageError } from "../shell/output.ts";
import { readSettings } from "../target/settings.ts";

export interface EventsOptions {
  readonly after: number;
  readonly limit: number;
  readonly subject?: string;
  readonly dataDir?: string;
}

export async function events({ after, limit, subject, dataDir }: EventsOptions): Promise<number> {
  let position = after;
  let left = limit;
  if (subject !== undefined && !payloads.has(subject)) {
    throw new UsageError(`There is no subject "${subject}"; there are ${[...payloads.keys()].join(", ")}`);
  }
  await withEvents(dataDir, async (kept) => {
    while (left > 0) {
      const page = await kept.read(position, { max: Math.min(left, limits.logReadMessagesMax), ...(subject !== undefined && { subject }) });
      if (page.length === 0) return;
      for (const event of page) printData(lineOf(event));
      position = page.at(-1)?.sequence ?? position;
      left -= page.length;
    }
  });
  return exitCodes.ok;
}

async function withEvents(dataDir: string | undefined, work: (events: Pick<Events, "read">) => Promise<void>): Promise<void> {
  if (isMesh({ dataDir }, "HEDDLE_NATS_URL")) {
    const stream = await readEventStream({ ...readSettings(process.env, readEvents), logger: silentLogger });
    try {
      return await work(stream);
    } finally {
      await stream.close();
    }
  }
  await withAccess(dataFolder(dataDir), async (_, database) => {
    await work(await openSqliteEvents({ database, clock: systemClock }));
  });
}

/** One of a newer build has its payload in base64. */
function lineOf({ sequence, subject, scope, eventId, key, keptAt, body }: KeptEvent): string {
  const schema = payloads.get(subject);
  const payload = schema === undefined ? { bodyBase64: Buffer.from(body).toString("base64") } : { payload: payloadJson(schema, body) };
  return JSON.stringify({ sequence, subject, scope, eventId, key, keptAt: isoTime(keptAt), ...payload });
}

/** As protobuf has it in JSON, but for times: milliseconds there, ISO 8601 here. */
function payloadJson(schema: DescMessage, body: Uint8Array): JsonValue {
  const json = toJson(schema, fromBinary(schema, body));
  if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const times = schema.fields.filter(({ name, scalar, jsonName }) => {
    return scalar === ScalarType.INT64 && name.endsWith("_at") && json[jsonName] !== undefined;
  });
  const iso: JsonObject = Object.fromEntries(times.map(({ jsonName }) => [jsonName, isoTime(Number(json[jsonName]))]));
  return { ...json, ...iso };
}

const payloads: ReadonlyMap<string, DescMessage> = new Map(
  [profileEvents, subscriptionEvents, statusEvents, scimEvents].flatMap(({ messages }) => messages)
    .flatMap((message) => (hasOption(message, subjectOption) ? [[getOption(message, subjectOption), message] as const] : [])),
);
