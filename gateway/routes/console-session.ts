/** /console/session: a person signs in at the console with a key, reads who they are, and signs out, here or everywhere. */
import { Refusal } from "../../platform/refusal.ts";
import type { KeyHolder } from "../access/access.ts";
import { everyPermission, permissionNames } from "../access/permissions.ts";
import { bodyFields, invalid, isSent } from "../decode/fields.ts";
import { sessionCookies } from "../guards/session-cookie.ts";
import { success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

type RouteDeps = Pick<Deps, "console">;

/** POST: takes the key itself, never a session, so that no session outlives its hours. `{secure: false}` where the page came without TLS. */
export async function handleConsoleSessionOpen({ spent, body }: Call, { console }: RouteDeps): Promise<Reply> {
  const { holder, by } = spent.permit.caller;
  if (by.kind !== "key") throw new Refusal("KEY_MISSING", "Invalid API key: a session is opened with the key itself");
  const secure = secureOf(body);
  const { token, expiresAt } = await console.openSession(holder, by.secret);
  const secondsLeft = Math.floor((expiresAt - console.now()) / 1_000);
  return { ...success(sessionBody(holder, expiresAt)), headers: sessionCookies({ token, secondsLeft, secure }) };
}

/** GET: whose key it is, and what it may do. */
export async function handleConsoleSession({ spent }: Call): Promise<Reply> {
  const { holder, by } = spent.permit.caller;
  return success(sessionBody(holder, by.kind === "session" ? by.expiresAt : undefined));
}

/** Of this browser. */
export async function handleConsoleSessionEnd({ body }: Call): Promise<Reply> {
  return { ...success({}), headers: sessionCookies({ token: "", secondsLeft: 0, secure: secureOf(body) }) };
}

/** Of the key, in every browser. */
export async function handleConsoleSessionEndAll({ spent, body }: Call, { console }: RouteDeps): Promise<Reply> {
  await console.endSessions(spent.permit.caller.holder);
  return { ...success({}), headers: sessionCookies({ token: "", secondsLeft: 0, secure: secureOf(body) }) };
}

function secureOf(body: Uint8Array): boolean {
  const { secure } = bodyFields(body);
  if (isSent(secure) && typeof secure !== "boolean") throw invalid("'secure' must be true or false");
  return secure !== false;
}

function sessionBody({ key, workspace, company }: KeyHolder, expiresAt: number | undefined): Record<string, unknown> {
  return {
    key: { id: key.id, name: key.name, permissions: key.permissions },
    workspace: { id: workspace.id, name: workspace.name, company: company.name },
    permission_names: [everyPermission, ...permissionNames],
    ...(expiresAt !== undefined && { expires_at: new Date(expiresAt).toISOString() }),
  };
}
