/** The writes: create, update and restore. */
import { findById } from "../../../platform/identifier.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { type Center, summaryOf } from "./center.ts";
import type { Caller, CenterDeps, CenterStore, WrittenVersion } from "./center-ports.ts";
import { checkName, type ContentDraft, contentFrom, newContent } from "./check-center.ts";
import { type Planned, plannedUpdate, writeCenter, type Written, writtenBy } from "./write-center.ts";

/** The name is claimed by the write itself, so that of many at once one wins. */
export async function createCenter(
  deps: CenterDeps,
  caller: Caller,
  { name, draft, id = deps.newCenterId() }: { readonly name: string; readonly draft: ContentDraft; readonly id?: string },
): Promise<Written> {
  checkName(name);
  const content = contentFrom(draft, newContent);
  const warnings = await deps.checker.check(content, await deps.centers.settings(caller.workspaceId));
  return await writeCenter(deps, caller, async (): Promise<Planned> => {
    const { workspaceId } = caller;
    await checkRoom(deps, workspaceId, 1);
    const now = deps.clock.now();
    const after: Center = { workspaceId, id, name, version: 1, createdAt: now, updatedAt: now, content };
    return { answer: { ...summaryOf(after), warnings }, write: { after, written: writtenBy(caller, after) } };
  });
}

/** Refuses STATE_CONFLICT where the workspace would have too many centers with so many new ones. */
export async function checkRoom({ centers }: Pick<CenterDeps, "centers">, workspaceId: string, added: number): Promise<void> {
  if (added === 0 || (await centers.summaries(workspaceId)).length + added <= limits.preferenceCentersPerWorkspaceMax) return;
  throw new Refusal("STATE_CONFLICT", `A workspace may have ${limits.preferenceCentersPerWorkspaceMax} preference centers`);
}

export async function updateCenter(
  deps: CenterDeps,
  caller: Caller,
  { id, draft }: { readonly id: string; readonly draft: ContentDraft },
): Promise<Written> {
  const settings = await deps.centers.settings(caller.workspaceId);
  return await writeCenter(deps, caller, async () => {
    const before = await foundCenter(deps, caller.workspaceId, id);
    const content = contentFrom(draft, before.content);
    const warnings = await deps.checker.check(content, settings);
    return plannedUpdate(before, content, { caller, now: deps.clock.now(), warnings });
  });
}

/** The content of an earlier version as a version of its own. What was written once is not checked again. */
export async function restoreCenter(
  deps: CenterDeps,
  caller: Caller,
  { id, version }: { readonly id: string; readonly version: number },
): Promise<Written> {
  return await writeCenter(deps, caller, async () => {
    const before = await foundCenter(deps, caller.workspaceId, id);
    const { content } = await foundVersion(deps, before, version);
    return plannedUpdate(before, content, { caller, now: deps.clock.now(), warnings: [], restoredFrom: version });
  });
}

/** By its id; a UUID that no center has exactly is found in any case. Refuses NOT_FOUND. */
export async function foundCenter({ centers }: Pick<CenterDeps, "centers">, workspaceId: string, id: string): Promise<Center> {
  const center = await centers.byId(workspaceId, id) ?? await inAnyCase(centers, workspaceId, id);
  if (center === undefined) throw new Refusal("NOT_FOUND", "No preference center has this id");
  return center;
}

/** Refuses NOT_FOUND. */
export async function foundVersion({ centers }: Pick<CenterDeps, "centers">, center: Center, version: number): Promise<WrittenVersion> {
  const found = await centers.version(center.workspaceId, center.id, version);
  if (found === undefined) throw new Refusal("NOT_FOUND", `The preference center has no version ${version}`);
  return found;
}

async function inAnyCase(centers: CenterStore, workspaceId: string, id: string): Promise<Center | undefined> {
  const found = findById(await centers.summaries(workspaceId), id);
  return found && await centers.byId(workspaceId, found.id);
}
