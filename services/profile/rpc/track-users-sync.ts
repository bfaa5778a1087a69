/** RPC TrackUsersSync: one object, and the user as it is after it. */
import { Buffer } from "node:buffer";
import { idempotencyOf } from "../../../platform/intake/idempotency.ts";
import { onceDurable } from "../../../platform/intake/intake.ts";
import { parseJson } from "../../../platform/json.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import type { TrackUsersSyncRequest } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ReadDeps } from "../domain/read/catch-up.ts";
import type { ObjectError } from "../domain/track/check-track.ts";
import { findUsers } from "../domain/read/find-users.ts";
import type { Profile } from "../domain/profile/profile.ts";
import { renderProfile } from "../domain/read/render-profile.ts";
import type { Json, JsonObject } from "../domain/record/track-object.ts";
import { checkTrackSync, fullErrors } from "../domain/track/track-users-sync.ts";
import type { UserKey } from "../domain/record/user-key.ts";
import { trackBody } from "../intake/body-message.ts";
import { submit } from "../intake/submit.ts";
import { firstAnswer } from "./first-answer.ts";
import { positionToToken } from "../../../platform/intake/position.ts";
import { groupsOf, toJsonBytes } from "./request.ts";
import { openAnswer, sealAnswer } from "./sealed-answer.ts";
import { rejectedFor, type TrackDeps } from "./track-users.ts";

/** Refuses BEHIND, and OUTCOME_UNKNOWN where the object is durable but not applied in time, or cannot be read behind that. */
export async function trackUsersSync(deps: TrackDeps & ReadDeps, message: TrackUsersSyncRequest) {
  const scope = scopeOf(message);
  const body = parseJson(message.bodyJson, { weightMax: limits.trackJsonWeightMax });
  const { object, errors } = checkTrackSync(body, { groups: groupsOf(message), rejected: await rejectedFor(deps, scope) });
  // How the user will be is known only once the request is applied: its answer is stored then
  const idempotency = idempotencyOf(scope, message.bodyJson, { keepMs: limits.trackIdempotencyKeepMs });
  const { position, repeatOf } = await deps.unapplied.inTurn(
    scope.workspaceId,
    message.bodyJson.length,
    () => submit(deps, scope, { body: trackBody([object]), idempotency }),
  );
  async function rendered(): Promise<Uint8Array> {
    const profile = await profileOf(deps, scope.workspaceId, object.user);
    return profile === undefined ? emptyAnswer : answerOf(toJsonBytes(syncUser(object.user, profile)), fullErrors(object, profile));
  }
  const { user, full } = await onceDurable(async () => {
    if (!await deps.applied.wait(position, limits.outcomeWaitMsMax)) throw new Refusal("OUTCOME_UNKNOWN");
    if (idempotency === undefined) return readAnswer(await rendered());
    const answer = await firstAnswer(deps, { scope, idempotency }, async () => await sealAnswer(scope, await rendered()));
    return readAnswer(await openAnswer(scope, answer));
  });
  return {
    usersJson: user.length === 0 ? [] : [user],
    errors: [...errors, ...full],
    position: positionToToken(position),
    replayed: repeatOf !== undefined,
  };
}

/** Undefined where the object was for existing users only and none was found. */
async function profileOf({ identities, profiles }: ReadDeps, workspaceId: string, user: UserKey): Promise<Profile | undefined> {
  const [users] = await findUsers(identities, workspaceId, [user]);
  const id = users?.[0]?.id;
  return id === undefined ? undefined : (await profiles.load(workspaceId, [id])).get(id);
}

const emptyAnswer = new Uint8Array();

/** The user, and behind a line's end, which no compact JSON holds, what there was no room for: a repeat is answered the same. */
function answerOf(user: Uint8Array, full: readonly ObjectError[]): Uint8Array {
  return full.length === 0 ? user : Buffer.concat([user, Buffer.from(`\n${JSON.stringify(full)}`)]);
}

function readAnswer(answer: Uint8Array): { readonly user: Uint8Array<ArrayBuffer>; readonly full: readonly ObjectError[] } {
  const end = answer.indexOf(lineEnd);
  if (end < 0) return { user: new Uint8Array(answer), full: [] };
  return { user: new Uint8Array(answer.subarray(0, end)), full: JSON.parse(Buffer.from(answer.subarray(end)).toString()) };
}

const lineEnd = 0x0a;

/** A user as the endpoint shows it (api-facts 2.9): the identifier as it was sent, and what is tracked. */
function syncUser(key: UserKey, profile: Profile): JsonObject {
  const { custom_attributes, custom_events, purchases } = renderProfile(profile, {
    fields: ["custom_attributes", "custom_events", "purchases"],
  });
  return {
    ...identifier(key),
    custom_attributes: custom_attributes ?? {},
    custom_events: custom_events ?? [],
    purchase_events: isList(purchases) ? purchases.map(purchaseEvent) : [],
  };
}

function identifier(key: UserKey): JsonObject {
  switch (key.by) {
    case "externalId":
      return { external_id: key.id };
    case "alias":
      return { user_alias: { alias_name: key.name, alias_label: key.label } };
    case "platformId":
      return { braze_id: key.id };
    case "email":
      return { email: key.address };
    case "phone":
      return { phone: key.number };
  }
}

function purchaseEvent(purchase: Json): Json {
  if (purchase === null || typeof purchase !== "object" || isList(purchase)) return purchase;
  const { name, ...summary } = purchase;
  return { product_id: name ?? null, ...summary };
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
