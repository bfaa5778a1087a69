/** /console/keys: the API keys of the workspace, which are made, rotated and revoked; and what people did at the console. */
import type { Fields } from "../../platform/fields.ts";
import type { ApiKey, KeyHolder } from "../access/access.ts";
import { everyPermission, holds, permissionNames } from "../access/permissions.ts";
import { hasEnded } from "../access/rows.ts";
import { bodyFields, invalid, isSent } from "../decode/fields.ts";
import { Refusal } from "../../platform/refusal.ts";
import { limits } from "../../platform/limits.ts";
import { success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

type RouteDeps = Pick<Deps, "console">;

export async function handleConsoleKeys({ spent }: Call, { console }: RouteDeps): Promise<Reply> {
  const { holder } = spent.permit.caller;
  const uses = await console.keys.uses();
  return success({
    keys: console.keys.list(holder).map((key) => {
      const usedAt = uses.get(key.id);
      return { ...keyBody(key, console.now()), ...(usedAt !== undefined && { last_used_at: new Date(usedAt).toISOString() }) };
    }),
  });
}

/** A key may be given what its maker's own key may do, from where that may do it, and no more. */
export async function handleConsoleKeysCreate({ spent, body }: Call, { console }: RouteDeps): Promise<Reply> {
  const { holder } = spent.permit.caller;
  const fields = bodyFields(body);
  const permissions = permissionsOf(fields, holder);
  const made = await console.keys.create(holder, { name: textOf(fields, "name"), permissions, ipAllow: holder.key.ipAllow });
  return success({ key: keyBody(made.key, console.now()), secret: made.secret });
}

/** The former secret stays good for `overlap_seconds`, a day unless given. */
export async function handleConsoleKeysRotate({ spent, body }: Call, { console }: RouteDeps): Promise<Reply> {
  const { holder } = spent.permit.caller;
  const fields = bodyFields(body);
  const id = textOf(fields, "id");
  const former = console.keys.list(holder).find((key) => key.id === id);
  mayGive(holder, former?.permissions ?? []);
  if (former) mayGiveFrom(holder, former);
  const made = await console.keys.rotate(holder, id, overlapOf(fields));
  return success({ key: keyBody(made.key, console.now()), secret: made.secret });
}

export async function handleConsoleKeysRevoke({ spent, body }: Call, { console }: RouteDeps): Promise<Reply> {
  const revoked = await console.keys.revoke(spent.permit.caller.holder, textOf(bodyFields(body), "id"));
  return success({ key: keyBody(revoked, console.now()) });
}

export async function handleConsoleActions({ spent }: Call, { console }: RouteDeps): Promise<Reply> {
  const actions = await console.actions(spent.permit.caller.holder);
  return success({
    actions: actions.map(({ at, keyId, keyName, requestId, method, route, status, reason }) => ({
      time: new Date(at).toISOString(),
      key: { id: keyId, name: keyName },
      request_id: requestId,
      method,
      route,
      status,
      ...(reason !== "" && { reason }),
    })),
  });
}

function keyBody(key: ApiKey, now: number): object {
  const { id, name, permissions, ipAllow, createdAt, revokedAt } = key;
  return {
    id,
    name,
    permissions,
    ip_allow: ipAllow,
    created_at: new Date(createdAt).toISOString(),
    state: hasEnded(key, now) ? "revoked" : revokedAt === null ? "valid" : "ends",
    ...(revokedAt !== null && { ends_at: new Date(revokedAt).toISOString() }),
  };
}

function textOf(fields: Fields, name: "id" | "name"): string {
  const text = typeof fields[name] === "string" ? fields[name].trim() : "";
  if (text !== "" && text.length <= limits.declaredNameCharsMax && !/\p{Cc}/u.test(text)) return text;
  throw invalid(`'${name}' must be a text of 1 to ${limits.declaredNameCharsMax} characters, none of them a control character`);
}

function permissionsOf({ permissions }: Fields, holder: KeyHolder): readonly string[] {
  const known = [everyPermission, ...permissionNames];
  if (!Array.isArray(permissions) || permissions.length === 0 || permissions.length > known.length) {
    throw invalid("'permissions' must be a list of permission names");
  }
  const wrong = permissions.find((name) => typeof name !== "string" || !known.includes(name)) as unknown;
  if (wrong !== undefined) throw invalid(`'permissions' may hold ${known.map((name) => `'${name}'`).join(", ")} alone`);
  mayGive(holder, permissions as string[]);
  return [...new Set(permissions as string[])];
}

/** A caller makes no key that may do more than its own. */
function mayGive({ key }: KeyHolder, permissions: readonly string[]): void {
  const more = permissions.find((name) => !holds(key.permissions, name));
  if (more === undefined) return;
  throw new Refusal("PERMISSION_MISSING", `Access Denied: the API key does not have the permission '${more}', so it cannot give it`);
}

/** A key that is held to some addresses gives no secret that may be used from others. */
function mayGiveFrom({ key }: KeyHolder, { ipAllow }: Pick<ApiKey, "ipAllow">): void {
  if (key.ipAllow.length === 0 || (ipAllow.length > 0 && ipAllow.every((entry) => key.ipAllow.includes(entry)))) return;
  throw new Refusal(
    "ADDRESS_NOT_ALLOWED",
    "Forbidden: the key may be used from addresses from which the API key may not, so it cannot give it",
  );
}

function overlapOf({ overlap_seconds: overlap }: Fields): number {
  if (!isSent(overlap)) return limits.keyOverlapMs;
  const isWhole = typeof overlap === "number" && Number.isInteger(overlap) && overlap >= 0 && overlap * 1_000 <= limits.keyOverlapMsMax;
  if (!isWhole) throw invalid(`'overlap_seconds' must be a whole number from 0 to ${limits.keyOverlapMsMax / 1_000}`);
  return overlap * 1_000;
}
