/** Makes preference centers and the settings of their pages be as declared; never deletes. */
import { type FieldChange, fieldChanges } from "../../../platform/field-changes.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { type Center, type CenterSummary, contentFields, type PageSettings, sameContent, summaryOf } from "./center.ts";
import type { Caller, CenterDeps } from "./center-ports.ts";
import { checkRoom, createCenter, updateCenter } from "./change-center.ts";
import { checkName, checkSettings, type ContentDraft, contentFrom, draftOver, newContent } from "./check-center.ts";

export interface Declared {
  readonly centers: readonly DeclaredCenter[];
  /** Absent: stay as they are. */
  readonly settings?: PageSettings;
  readonly dryRun: boolean;
}

interface DeclaredCenter {
  readonly name: string;
  readonly draft: ContentDraft;
  /** Absent: one is made. */
  readonly id?: string;
}

interface DeclaredChange {
  readonly action: "created" | "updated" | "unchanged";
  readonly center: CenterSummary;
  /** What of the HTML will not work; empty where nothing changes. */
  readonly warnings: readonly string[];
  /** Of what is updated. */
  readonly fields?: readonly FieldChange[];
}

/** `settings`: what changes of them. */
interface DeclaredPages {
  readonly changes: readonly DeclaredChange[];
  readonly settings: readonly FieldChange[];
}

/**
 * By id or name: what is there is updated, what is not is made; what is as declared stays untouched, also where it could not be written
 * now. All are checked before the first is written. Refuses INPUT_INVALID; STATE_CONFLICT where a name has another id or an id another name, or they are too many.
 */
export async function declareCenters(deps: CenterDeps, caller: Caller, declared: Declared): Promise<DeclaredPages> {
  const { workspaceId } = caller;
  refuseTwice(declared.centers.map(({ name }) => `name "${name}"`));
  refuseTwice(declared.centers.flatMap(({ id }) => id === undefined ? [] : [`id "${id.toLowerCase()}"`]));
  const before = await deps.centers.settings(workspaceId);
  const { settings = before } = declared;
  const settingsChanges = fieldChanges(before, settings);
  if (settingsChanges.length > 0) checkSettings(settings);
  const planned: Planned[] = [];
  for (const center of declared.centers) planned.push(await plan(deps, { workspaceId, settings }, center));
  await checkRoom(deps, workspaceId, planned.filter(({ action }) => action === "created").length);
  if (declared.dryRun) {
    return { changes: planned.map(({ shown, ...change }) => ({ ...change, center: shown })), settings: settingsChanges };
  }
  if (settingsChanges.length > 0) await deps.centers.putSettings(workspaceId, settings);
  const changes: DeclaredChange[] = [];
  for (const { action, center, known, shown, warnings } of planned) {
    const written = action === "unchanged"
      ? undefined
      : await (known ? updateCenter(deps, caller, { ...center, id: known.id }) : createCenter(deps, caller, center));
    changes.push({ action, center: written?.answer ?? shown, warnings });
  }
  return { changes, settings: settingsChanges };
}

function refuseTwice(all: readonly string[]): void {
  const twice = all.find((one, at) => all.indexOf(one) < at);
  if (twice !== undefined) throw new Refusal("INPUT_INVALID", `Two preference centers have the ${twice}`);
}

interface Planned extends Pick<DeclaredChange, "action" | "warnings" | "fields"> {
  readonly center: DeclaredCenter;
  readonly known: Center | undefined;
  readonly shown: CenterSummary;
}

async function plan(
  deps: CenterDeps,
  { workspaceId, settings }: { readonly workspaceId: string; readonly settings: PageSettings },
  center: DeclaredCenter,
): Promise<Planned> {
  checkName(center.name);
  const named = await deps.centers.byName(workspaceId, center.name);
  const known = center.id === undefined ? named : await deps.centers.byId(workspaceId, center.id);
  if (named !== known && named?.id !== known?.id) {
    const text = known ? `has the name "${known.name}", which never changes` : `exists under the id "${named?.id}", which never changes`;
    throw new Refusal("STATE_CONFLICT", `The preference center "${center.name}" ${text}`);
  }
  const base = known?.content ?? newContent;
  if (known && sameContent(base, draftOver(center.draft, base))) {
    return { action: "unchanged", center, known, shown: summaryOf(known), warnings: [] };
  }
  const content = contentFrom(center.draft, base);
  const warnings = await inCenter(center.name, () => deps.checker.check(content, settings));
  if (known) {
    const fields = fieldChanges(Object.fromEntries(contentFields(known.content)), Object.fromEntries(contentFields(content)));
    return { action: "updated", center, known, shown: summaryOf(known), warnings, fields };
  }
  const shown = { id: center.id ?? "", name: center.name, version: 0, createdAt: 0, updatedAt: 0, state: content.state };
  return { action: "created", center, known, shown, warnings };
}

/** A problem that also says of which center it is. */
async function inCenter<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    throw new Refusal(cause.reason, `"${name}": ${cause.message}`, { cause });
  }
}
