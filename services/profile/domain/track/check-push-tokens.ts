/** The standard field `push_tokens` and its control key `push_token_import`. */
import { limits } from "../../../../platform/limits.ts";
import { isObject, type RawObject, utf8Bytes } from "../values/check-json.ts";
import { checkFlag, checkName } from "../values/check-text.ts";
import { Verdict } from "../values/check-verdict.ts";
import type { FieldValue, JsonObject } from "../record/track-object.ts";
import type { UserKey } from "../record/user-key.ts";

/** Tokens as `{ app_id, token, device_id? }`; other keys are dropped. None is null. */
export function checkPushTokens(value: unknown): FieldValue | null {
  if (!Array.isArray(value)) throw new Verdict("'push_tokens' must be an array of objects");
  if (value.length > limits.pushTokensPerObjectMax) {
    throw new Verdict(`'push_tokens' must have at most ${limits.pushTokensPerObjectMax} elements`);
  }
  return value.length === 0 ? null : value.map(checkPushToken);
}

/** `push_token_import: true` may not stand beside an external_id or a braze_id; an identifier it needs all the same. */
export function checkPushTokenImport(raw: RawObject, user: UserKey): void {
  if (checkFlag(raw, "push_token_import") !== true) return;
  if (user.by === "externalId" || user.by === "platformId") {
    throw new Verdict("'external_id' and 'braze_id' may not be sent with 'push_token_import'");
  }
}

function checkPushToken(value: unknown): JsonObject {
  if (!isObject(value)) throw new Verdict("'push_tokens' must be an array of objects");
  const appId = checkName("app_id", value["app_id"], limits.appIdCharsMax);
  const token = checkName("token", value["token"], limits.pushTokenCharsMax);
  const deviceId = value["device_id"];
  if (deviceId === undefined || deviceId === null) return { app_id: appId, token };
  return { app_id: appId, token, device_id: checkDeviceId(deviceId) };
}

function checkDeviceId(value: unknown): string {
  const bytes = typeof value === "string" ? utf8Bytes(value) : 0;
  if (typeof value === "string" && bytes >= limits.deviceIdBytesMin && bytes <= limits.deviceIdBytesMax) return value;
  throw new Verdict(`'device_id' must be a string of ${limits.deviceIdBytesMin} to ${limits.deviceIdBytesMax} bytes`);
}
