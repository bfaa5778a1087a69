/** The writes: create, update and restore. */
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { type Center, summaryOf } from "./center.ts";
import type { Caller, CenterParts } from "./center-ports.ts";
import { checkName, type ContentDraft, contentFrom, newContent } from "./check-center.ts";
import { type Planned, plannedUpdate, writeCenter, type Written, writtenBy } from "./write-center.ts";

/** The name is claimed by the write itself, so that of many at once one wins. */
export async function createCenter(
  parts: CenterParts,
  caller: Caller,
  { name, draft, id = parts.newCenterId() }: { readonly name: string; readonly draft: ContentDraft; readonly id?: string },
): Promise<Written> {
  checkName(name);
  const content = contentFrom(draft, newContent);
  const warnings = parts.checker.check(content, await parts.centers.settings(caller.workspaceId));
  return await writeCenter(parts, caller, async (): Promise<Planned> => {
    if ((await parts.centers.summaries(caller.workspaceId)).length >= limits.preferenceCentersPerWorkspaceMax) {
      throw new Refusal("STATE_CONFLICT", `A workspace may have ${limits.preferenceCentersPerWorkspaceMax} preference centers`);
    }
    const now = parts.clock.now();
    const { workspaceId } = caller;
    const after: Center = { workspaceId, id, name, version: 1, createdAt: now, updatedAt: now, content };
    return { answer: { ...summaryOf(after), warnings }, write: { after, written: writtenBy(caller, after) } };
  });
}

export async function updateCenter(
  parts: CenterParts,
  caller: Caller,
  { id, draft }: { readonly id: string; readonly draft: ContentDraft },
): Promise<Written> {
  const settings = await parts.centers.settings(caller.workspaceId);
  return await writeCenter(parts, caller, async () => {
    const before = await foundCenter(parts, caller.workspaceId, id);
    const content = contentFrom(draft, before.content);
    return plannedUpdate(before, content, { caller, now: parts.clock.now(), warnings: parts.checker.check(content, settings) });
  });
}

/** The content of an earlier version as a version of its own. What was written once is not checked again. */
export async function restoreCenter(
  parts: CenterParts,
  caller: Caller,
  { id, version }: { readonly id: string; readonly version: number },
): Promise<Written> {
  return await writeCenter(parts, caller, async () => {
    const before = await foundCenter(parts, caller.workspaceId, id);
    const earlier = await parts.centers.version(caller.workspaceId, id, version);
    if (earlier === undefined) throw new Refusal("NOT_FOUND", `The preference center has no version ${version}`);
    return plannedUpdate(before, earlier.content, { caller, now: parts.clock.now(), warnings: [], restoredFrom: version });
  });
}

/** Refuses NOT_FOUND. */
export async function foundCenter({ centers }: Pick<CenterParts, "centers">, workspaceId: string, id: string): Promise<Center> {
  const center = await centers.byId(workspaceId, id);
  if (center === undefined) throw new Refusal("NOT_FOUND", "No preference center has this id");
  return center;
}
