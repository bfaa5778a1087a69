/** heddle preference-centers: versions and links, in the data folder or in the mesh, whether or not servers run. */
import type { Client } from "@connectrpc/connect";
import {
  CenterState,
  type ContentService,
  type PreferenceCenterSummary,
  type PreferenceCenterVersion,
} from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import { findById } from "../../platform/identifier.ts";
import { asCalled } from "../shell/called-as.ts";
import { type FolderOptions, withAccessTarget, type WorkspaceOptions } from "../target/access-target.ts";
import { withCenters } from "../target/content-target.ts";
import { chooseWorkspace } from "../target/data-folder.ts";
import { linkBase } from "../target/link-base.ts";
import { CommandError, exitCodes, isoTime, printResult, table, UsageError } from "../shell/output.ts";

export async function list(options: WorkspaceOptions): Promise<number> {
  const centers = await inWorkspace(options, async ({ content, scope }) => (await content.listPreferenceCenters({ scope })).centers);
  const rows = centers.map(({ id, name, version, updatedAt, state }) => ({
    id,
    name,
    version,
    state: state === CenterState.DRAFT ? "draft" : "active",
    updatedAt: isoTime(updatedAt),
  }));
  const text = rows.length === 0
    ? asCalled("There are no preference centers yet: create one over the API, or declare one with heddle apply")
    : table(
      ["ID", "NAME", "VERSION", "STATE", "UPDATED"],
      rows.map((row) => [row.id, row.name, String(row.version), row.state, row.updatedAt]),
    );
  printResult(options, rows, text);
  return exitCodes.ok;
}

export async function versions(center: string, options: WorkspaceOptions): Promise<number> {
  const found = await inWorkspace(options, async ({ content, scope }) => {
    const { id } = await chosen(content, scope, center);
    const all: PreferenceCenterVersion[] = [];
    for (let before = 0;;) {
      const page = (await content.listPreferenceCenterVersions({ scope, id, before })).versions;
      all.push(...page);
      const last = page.at(-1);
      if (last === undefined) return all;
      before = last.version;
    }
  });
  const rows = found.map(({ version, writtenAt, actor, requestId, restoredFrom }) => ({
    version,
    writtenAt: isoTime(writtenAt),
    actor,
    requestId,
    ...(restoredFrom === 0 ? {} : { restoredFrom }),
  }));
  const cells = rows.map((
    row,
  ) => [String(row.version), row.writtenAt, row.actor, row.restoredFrom ? `restored from ${row.restoredFrom}` : ""]);
  printResult(options, rows, table(["VERSION", "WRITTEN", "BY", ""], cells));
  return exitCodes.ok;
}

export async function diff(center: string, version: string, options: WorkspaceOptions & { readonly from?: string }): Promise<number> {
  const to = versionOf(version);
  const from = options.from === undefined ? Math.max(1, to - 1) : versionOf(options.from);
  const { fields } = await inWorkspace(options, async ({ content, scope }) => {
    const { id } = await chosen(content, scope, center);
    return await content.diffPreferenceCenterVersions({ scope, id, from, to });
  });
  const text = fields.length === 0 ? "Nothing changed" : fields.map(({ field, unified }) => `${field}\n${unified}`).join("\n\n");
  printResult(options, { from, to, fields: fields.map(({ field, unified }) => ({ field, unified })) }, text);
  return exitCodes.ok;
}

export async function restore(center: string, version: string, options: WorkspaceOptions): Promise<number> {
  const restored = await inWorkspace(options, async ({ content, scope }) => {
    const { id } = await chosen(content, scope, center);
    return (await content.restorePreferenceCenterVersion({ scope, id, version: versionOf(version) })).center;
  });
  const restoredTo = { id: restored?.id, name: restored?.name, version: restored?.version };
  const text = restoredTo.version === versionOf(version)
    ? `${restoredTo.name} is unchanged: version ${version} is its newest`
    : `${restoredTo.name} has the content of version ${version} again, as version ${restoredTo.version}`;
  printResult(options, restoredTo, text);
  return exitCodes.ok;
}

export async function url(center: string, externalId: string, options: WorkspaceOptions & { readonly url?: string }): Promise<number> {
  const base = linkBase(options);
  const { path, expiresAt } = await inWorkspace(options, async ({ content, scope }) => {
    const { id } = await chosen(content, scope, center);
    return await content.createPreferencePageLink({ scope, id, externalId });
  });
  const link = `${base}${path}`;
  printResult(options, { url: link, expiresAt: isoTime(expiresAt) }, link);
  return exitCodes.ok;
}

export async function rotateLinkKey(options: FolderOptions): Promise<number> {
  const made = await withAccessTarget(options, async (_access, database) => {
    return await withCenters({ database }, async (content) => (await content.rotatePreferenceLinkKey({})).keyId);
  });
  const keyId = made ?? refuseNowhere();
  printResult(options, { keyId }, `New links are sealed with the key ${keyId}; links already sent stay good until they expire`);
  return exitCodes.ok;
}

type Scope = { readonly workspaceId: string; readonly actor: string };

async function inWorkspace<T>(
  options: WorkspaceOptions,
  work: (at: { readonly content: Client<typeof ContentService>; readonly scope: Scope }) => Promise<T>,
): Promise<T> {
  return await withAccessTarget(options, async (access, database) => {
    const scope = { workspaceId: chooseWorkspace(access.rows(), options.workspace).id, actor: "heddle preference-centers" };
    const found = await withCenters({ database }, async (content) => ({ result: await work({ content, scope }) }));
    return (found ?? refuseNowhere()).result;
  });
}

function refuseNowhere(): never {
  throw new CommandError("Preference centers are kept by the content service: set HEDDLE_CONTENT_URL");
}

/** By id or name. */
async function chosen(content: Client<typeof ContentService>, scope: Scope, wanted: string): Promise<PreferenceCenterSummary> {
  const { centers } = await content.listPreferenceCenters({ scope });
  const found = findById(centers, wanted) ?? centers.find(({ name }) => name === wanted);
  if (found) return found;
  const names = centers.map(({ name }) => name).join(", ");
  throw new CommandError(`No preference center is called "${wanted}"${names === "" ? "" : `; there are ${names}`}`);
}

function versionOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`A version is a whole number from 1, not "${text}"`);
}
