/** Creates a dashboard user: the name is claimed by the write itself, so that of many at once one wins. */
import { landed } from "./check-permissions.ts";
import { checkUser } from "./check-user.ts";
import { invalid } from "./check-values.ts";
import { changesBetween, logEntry } from "./log-entry.ts";
import type { Caller, ScimDeps } from "./ports.ts";
import type { Directory, User } from "./user.ts";
import { userNameKey } from "./user-name.ts";
import { answerOf, type Shown, writeUser, type Written } from "./write-user.ts";

export async function createUser(
  deps: ScimDeps,
  caller: Caller,
  asked: Shown & { readonly body: unknown; readonly directory: Directory; readonly permissionsOptional: boolean },
): Promise<Written> {
  return await writeUser(deps, caller, async () => {
    const draft = checkUser(asked.body, asked.directory);
    const { userName } = draft;
    if (userName === undefined) throw invalid("'userName' is required");
    const key = userNameKey(userName);
    if (key === undefined) throw invalid("'userName' must be an email address");
    if (draft.permissions === undefined && !asked.permissionsOptional) throw invalid(permissionsNeeded);
    const permissions = landed(draft.permissions ?? { company: [], workspaces: [] }, asked.directory);
    const now = deps.clock.now();
    const user: User = {
      ...draft.profile,
      active: draft.active ?? true,
      companyId: caller.companyId,
      id: groupsOfEight(deps.newUserId()),
      userName,
      userNameKey: key,
      permissions,
      createdAt: now,
      modifiedAt: now,
      lastSignInAt: null,
      revision: 1,
    };
    const log = logEntry(caller, now, {
      outcome: "created",
      userId: user.id,
      userName: user.userName,
      changes: changesBetween(undefined, asked.renderer.resource(user)),
      ignored: draft.ignored,
    });
    return { change: { companyId: caller.companyId, after: user, log }, answer: answerOf(user, asked) };
  });
}

const permissionsNeeded =
  "'permissions' is required: an object, {} for none; a token made with --permissions-optional takes accounts without it";

/** `dfa245b7-24195aec-887bb3ad-602b3340`, as clients know these ids. */
function groupsOfEight(hex: string): string {
  return [0, 1, 2, 3].map((group) => hex.slice(group * 8, (group + 1) * 8)).join("-");
}
