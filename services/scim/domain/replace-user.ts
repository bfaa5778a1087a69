/** Replaces (PUT) or patches a dashboard user. */
import { isSame } from "../../../platform/field-changes.ts";
import { type Fields, member } from "../../../platform/fields.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { checkUser, type Draft } from "./check-user.ts";
import { checkVersion } from "./entity-tag.ts";
import { changesBetween, logEntry } from "./log-entry.ts";
import { patchUser } from "./patch-user.ts";
import type { Caller, ScimDeps } from "./ports.ts";
import type { Directory, User } from "./user.ts";
import { userNameKey } from "./user-name.ts";
import { answerOf, type Shown, writeUser, type Written } from "./write-user.ts";

export interface Target extends Shown {
  readonly id: string;
  readonly ifMatch: string;
  readonly body: unknown;
  readonly directory: Directory;
}

/** Refuses NOT_FOUND, VERSION_MISMATCH, ATTRIBUTE_READ_ONLY (another userName), and what checkUser() and writeUser() refuse. */
export async function replaceUser(deps: ScimDeps, caller: Caller, target: Target): Promise<Written> {
  return await changeUser(deps, caller, { ...target, outcome: "replaced", draftOf: () => checkUser(target.body, target.directory) });
}

/** As replaceUser; all operations together or none. */
export async function patchUserById(deps: ScimDeps, caller: Caller, target: Target): Promise<Written> {
  return await changeUser(deps, caller, {
    ...target,
    outcome: "patched",
    draftOf(resource) {
      const { body, ignored } = patchUser(resource, target.body);
      // Grants for what is no longer declared are not shown; they stay unless the patch changes the permissions
      const same = isSame(member(body, "permissions"), member(resource, "permissions"));
      return { ...checkUser(same ? { ...body, permissions: undefined } : body, target.directory), ignored };
    },
  });
}

interface Changing extends Target {
  readonly outcome: "replaced" | "patched";
  readonly draftOf: (resource: Fields) => Draft;
}

async function changeUser(deps: ScimDeps, caller: Caller, asked: Changing): Promise<Written> {
  const { companyId } = caller;
  return await writeUser(deps, caller, async () => {
    const before = await foundUser(deps, companyId, asked.id);
    checkVersion(before, asked.ifMatch);
    const resource = asked.renderer.resource(before);
    const draft = asked.draftOf(resource);
    refuseOtherName(before, draft);
    const now = deps.clock.now();
    const after = withDraft(before, draft, now);
    const log = logEntry(caller, now, {
      outcome: asked.outcome,
      userId: before.id,
      userName: before.userName,
      changes: changesBetween(resource, asked.renderer.resource(after)),
      ignored: draft.ignored,
    });
    return { change: { companyId, before, after, log }, answer: answerOf(after, asked) };
  });
}

/** Refuses NOT_FOUND; a user of another company is as unknown as one that never was. */
export async function foundUser(deps: Pick<ScimDeps, "users">, companyId: string, id: string): Promise<User> {
  const user = await deps.users.byId(companyId, id);
  if (user === undefined) throw new Refusal("NOT_FOUND", "User not found");
  return user;
}

function refuseOtherName(before: User, { userName }: Draft): void {
  if (userName === undefined || userNameKey(userName) === before.userNameKey) return;
  throw new Refusal("ATTRIBUTE_READ_ONLY", "'userName' cannot be changed: delete the user and create another");
}

/** The same object where nothing differs, so that its version stays. A body without `active` does not reactivate the user. */
function withDraft(before: User, { profile, active, permissions }: Draft, now: number): User {
  const { companyId, id, userName, userNameKey: key, createdAt, lastSignInAt, revision } = before;
  const kept = { companyId, id, userName, userNameKey: key, createdAt, lastSignInAt };
  const silent = { active: active ?? before.active, permissions: permissions ?? before.permissions };
  const after: User = { ...profile, ...silent, ...kept, modifiedAt: before.modifiedAt, revision };
  return isSame(before, after) ? before : { ...after, modifiedAt: now, revision: revision + 1 };
}
