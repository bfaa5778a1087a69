/** Deletes a dashboard user for good; the event goes out with the same write. */
import { checkVersion } from "./entity-tag.ts";
import { changesBetween, logEntry } from "./log-entry.ts";
import type { Caller, ScimDeps } from "./ports.ts";
import type { Renderer } from "./render-user.ts";
import { foundUser } from "./replace-user.ts";
import { writeUser } from "./write-user.ts";

/** Refuses NOT_FOUND, also the second time; VERSION_MISMATCH; what writeUser() refuses. */
export async function deleteUser(
  deps: ScimDeps,
  caller: Caller,
  asked: { readonly id: string; readonly ifMatch: string; readonly renderer: Renderer },
): Promise<void> {
  const { companyId } = caller;
  await writeUser(deps, caller, async () => {
    const before = await foundUser(deps, companyId, asked.id);
    checkVersion(before, asked.ifMatch);
    const now = deps.clock.now();
    const { id: userId, userName } = before;
    const changes = changesBetween(asked.renderer.resource(before), undefined);
    return {
      change: {
        companyId,
        before,
        event: { eventId: deps.newEventId(), companyId, userId, userName, deletedAt: now },
        log: logEntry(caller, now, { outcome: "deleted", userId, userName, changes }),
      },
      answer: { userJson: "", id: userId, etag: "" },
    };
  });
}
