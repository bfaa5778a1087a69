/** POST /users/export/ids: users by every kind of identifier (api-facts 3). */
import type { Fields } from "../../platform/fields.ts";
import { limits } from "../../platform/limits.ts";
import { Refusal } from "../../platform/refusal.ts";
import { isStorable } from "../../platform/text.ts";
import type { UserKey } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { takeAll } from "../decode/elements.ts";
import { bodyFields, invalid, isFilled, isSent } from "../decode/fields.ts";
import { aliasOf, emailOf, externalIdOf, keyOf, phoneOf, platformIdOf } from "../decode/identifiers.ts";
import { emptyId, takeIds } from "../decode/lists.ts";
import { readHeaders, usersBody } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

/** 201. Names that match no user are listed in `invalid_user_ids` as they were sent. */
export async function handleUsersExportIds(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
  const fields = bodyFields(call.body);
  const wanted = wantedUsers(fields);
  const exported = fieldsToExport(fields["fields_to_export"]);
  // A device stands behind all others, in the request for it as in `wanted`
  const asked = wanted.filter(({ key, deviceId }) => key !== undefined || deviceId !== undefined);
  const device = asked.find(({ deviceId }) => deviceId !== undefined);
  const response = await profile.exportUsers({
    scope: call.scope,
    users: asked.flatMap(({ key }) => (key ? [key] : [])),
    ...(device && { deviceId: device.deviceId }),
    fields: exported,
    currencyRates: call.spent.permit.caller.holder.workspace.currencyRates,
  }, call.reading);
  const unknown = new Set(response.unknown);
  const found = new Set(asked.filter((_, at) => !unknown.has(at)));
  const missing = wanted.filter((one) => !found.has(one)).map(({ sent }) => sent);
  return {
    body: usersBody(response.usersJson, missing.length > 0 ? { invalid_user_ids: missing } : {}),
    headers: readHeaders(response.behind),
  };
}

/** One user asked for; without a key and a device where no user can be found that way. */
interface Wanted {
  readonly sent: unknown;
  readonly key?: UserKey;
  readonly deviceId?: string;
}

const tooMany = "The max number of external_ids and aliases per request was exceeded";

/** In the order: external ids, aliases, platform ids, then the one of device, email and phone. */
function wantedUsers(fields: Fields): readonly Wanted[] {
  const externalIds = takeAll(list(fields, "external_ids"), "external_ids", byExternalId);
  const aliases = takeIds(list(fields, "user_aliases"), "user_aliases", (sent, field) => ({
    sent,
    key: keyOf({ case: "alias", value: aliasOf(sent, field) }),
  }));
  const wanted = [...externalIds, ...aliases, ...platformIds(fields), ...atMostOne(fields)];
  if (wanted.length === 0) {
    throw invalid("One of 'external_ids', 'user_aliases', 'braze_id', 'device_id', 'email_address' or 'phone' is required");
  }
  return wanted;
}

/** A text that can be no id (empty, too long, with a NUL) is one that no user has; only another type is a mistake. */
function byExternalId(sent: unknown, index: number): Wanted {
  try {
    return { sent: String(sent), key: keyOf({ case: "externalId", value: externalIdOf(sent, "external_ids") }) };
  } catch (error) {
    if (typeof sent === "string") return { sent };
    throw isSent(sent) ? error : emptyId("external_ids", index);
  }
}

function platformIds(fields: Fields): readonly Wanted[] {
  return ["braze_id", "platform_id"].flatMap((field) => {
    if (!isFilled(fields[field])) return [];
    const sent = typeof fields[field] === "string" ? [fields[field]] : list(fields, field);
    return takeIds(sent, field, (id) => ({ sent: id, key: keyOf({ case: "platformId", value: platformIdOf(id, field) }) }));
  });
}

/** A text that can be no id of a device is one that no user has, as of external ids. */
function atMostOne(fields: Fields): readonly Wanted[] {
  const sent = ["device_id", "email_address", "phone"].filter((field) => isFilled(fields[field]));
  if (sent.length > 1) throw invalid("Only one of 'device_id', 'email_address' and 'phone' may be sent");
  const [field] = sent;
  if (field === undefined) return [];
  const value = fields[field];
  if (field === "email_address") return [{ sent: value, key: keyOf({ case: "email", value: emailOf(value, field) }) }];
  if (field === "phone") return [{ sent: value, key: keyOf({ case: "phone", value: phoneOf(value) }) }];
  if (typeof value !== "string") throw invalid("'device_id' must be a string");
  return isStorable(value) && Buffer.byteLength(value) <= limits.deviceIdBytesMax ? [{ sent: value, deviceId: value }] : [{ sent: value }];
}

/** Up to 50 entries; absent is none. */
function list(fields: Fields, field: string): readonly unknown[] {
  const value = fields[field];
  if (!isFilled(value)) return [];
  if (!Array.isArray(value)) throw invalid(`'${field}' must be an array`);
  if (value.length > limits.itemsPerRequestMax) throw new Refusal("BATCH_TOO_LARGE", tooMany);
  return value;
}

/** Absent or empty: every field. */
function fieldsToExport(value: unknown): string[] {
  if (!isFilled(value)) return [];
  const texts = Array.isArray(value) && value.length <= limits.exportFieldsMax ? value : undefined;
  if (!texts?.every((text) => typeof text === "string")) {
    throw invalid(`'fields_to_export' must be an array of at most ${limits.exportFieldsMax} names of fields`);
  }
  return texts;
}
