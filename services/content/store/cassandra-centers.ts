/** The store of preference centers in the mesh: a workspace is one partition, each change one conditional write; contents are kept apart. */
import type { Session } from "../../../platform/cassandra/session.ts";
import { openKept } from "../../../platform/kept.ts";
import { limits } from "../../../platform/limits.ts";
import type { SealKey } from "../../../platform/sealed-token.ts";
import type { Center, CenterContent, CenterState, CenterSummary, CenterVersion, PageSettings } from "../domain/center.ts";
import type { CenterChange, CenterStore, Remembered, WrittenVersion } from "../domain/center-ports.ts";
import type { LinkKeys } from "../../../platform/link-keys.ts";
import { type CenterRows, openCenterRows, plain, type RowWrite } from "./cassandra-center-rows.ts";
import { putContent, selectContent } from "./cassandra-center-statements.ts";
import { contentFromText, contentToText } from "./center-rows.ts";

interface CenterRow extends CenterSummary {
  readonly contentId: string;
}

interface VersionRow extends CenterVersion {
  readonly contentId: string;
}

/** `newContentId` gives a text that was never given before. */
export function openCassandraCenters(
  { session, newContentId }: { readonly session: Session; readonly newContentId: () => string },
): { readonly centers: CenterStore; readonly linkKeys: LinkKeys } {
  const rows = openCenterRows(session);
  const contents = openContents(session, newContentId);
  async function whole(workspaceId: string, row: CenterRow | undefined): Promise<Center | undefined> {
    if (row === undefined) return undefined;
    const { contentId, state: _state, ...head } = row;
    return { workspaceId, ...head, content: await contents.read(workspaceId, contentId) };
  }
  async function centerRow(workspaceId: string, id: string): Promise<CenterRow | undefined> {
    return await rows.get(workspaceId, "center", id) as CenterRow | undefined;
  }
  return {
    centers: {
      byId: async (workspaceId, id) => id === "" ? undefined : await whole(workspaceId, await centerRow(workspaceId, id)),
      async byName(workspaceId, name) {
        const id = await rows.get(workspaceId, "name", name);
        return typeof id === "string" ? await whole(workspaceId, await centerRow(workspaceId, id)) : undefined;
      },
      async summaries(workspaceId) {
        const found = await rows.all(workspaceId, "center") as CenterRow[];
        return found.map(withoutContentId).sort(byCreation);
      },
      async versions(workspaceId, id, { before, limit }) {
        const range = { above: versionId(id, before), below: `${id} ~`, rows: limit };
        return (await rows.between(workspaceId, "version", range) as VersionRow[]).map(withoutContentId);
      },
      async version(workspaceId, id, version) {
        const row = await rows.get(workspaceId, "version", versionId(id, version)) as VersionRow | undefined;
        if (row === undefined) return undefined;
        const { contentId, ...written } = row;
        return { written, content: await contents.read(workspaceId, contentId) };
      },
      remembered: (workspaceId, requestHash, now) => rememberedIn(rows, workspaceId, { requestHash, now }),
      commit: (change) => commit({ rows, contents }, change),
      async settings(workspaceId) {
        return (await rows.get(workspaceId, "settings", "pages") ?? { scriptsAllowed: false, origins: [] }) as PageSettings;
      },
      async putSettings(workspaceId, settings) {
        await rows.change(workspaceId, async () => [{ kind: "settings", id: "pages", body: settings }]);
      },
    },
    linkKeys: linkKeysIn(rows),
  };
}

/** Centers as a backup brings them. */
export interface MovedCenters {
  /** Contents have the same place each time, so that doing it again writes the same. */
  put(workspaceId: string, center: { readonly summary: CenterSummary; readonly versions: readonly WrittenVersion[] }): Promise<void>;
  putRemembered(workspaceId: string, remembered: readonly Remembered[], now: number): Promise<void>;
}

export function openMovedCenters(session: Session): MovedCenters {
  const rows = openCenterRows(session);
  return {
    async put(workspaceId, { summary, versions }) {
      const { id, name } = summary;
      function contentIdOf(version: number): string {
        return `${id} ${version}`;
      }
      for (const { written: { version }, content } of versions) {
        await openContents(session, () => contentIdOf(version)).write(workspaceId, content);
      }
      const center: CenterRow = { ...summary, contentId: contentIdOf(summary.version) };
      const moved = versions.map(({ written }): RowWrite => {
        const body: VersionRow = { ...written, contentId: contentIdOf(written.version) };
        return { kind: "version", id: versionId(id, written.version), body };
      });
      const head: RowWrite[] = [{ kind: "center", id, body: center }, { kind: "name", id: name, body: id }];
      await rows.change(workspaceId, async () => [...head, ...moved]);
    },
    async putRemembered(workspaceId, remembered, now) {
      await rows.change(workspaceId, async () => remembered.map((mark) => markRow(mark, now)));
    },
  };
}

function withoutContentId<T extends { readonly contentId: string }>({ contentId: _contentId, ...rest }: T): Omit<T, "contentId"> {
  return rest;
}

function byCreation(left: CenterSummary, right: CenterSummary): number {
  return left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1);
}

/** The newest sorts first. */
function versionId(id: string, version: number): string {
  return `${id} ${String(versionsMax - version).padStart(10, "0")}`;
}

const versionsMax = 9_999_999_999;

interface Contents {
  read(workspaceId: string, contentId: string): Promise<CenterContent>;
  /** Gives where it is. */
  write(workspaceId: string, content: CenterContent): Promise<string>;
}

/** A content never changes under its id, so what was read stays true. */
function openContents(session: Session, newContentId: () => string): Contents {
  const kept = openKept<CenterContent>({ entriesMax: limits.contentsKeptMax, sizeMax: limits.contentsKeptCharsMax });
  return {
    async read(workspace_id, content_id) {
      const key = `${workspace_id} ${content_id}`;
      const known = kept.get(key);
      if (known) return known;
      const [row] = await session.execute(plain(selectContent, { workspace_id, content_id }));
      if (row === undefined) throw new Error(`The content "${content_id}" is named and not there`);
      const body = String(row["body"]);
      const content = contentFromText(body);
      kept.put(key, content, body.length);
      return content;
    },
    async write(workspace_id, content) {
      const content_id = newContentId();
      // Written once, so its age says nothing
      await session.execute(plain(putContent, { workspace_id, content_id, body: contentToText(content), stamp: 1n }));
      return content_id;
    },
  };
}

/** A content whose change does not come about is never named, and small in number: writes are limited. */
async function commit(
  { rows, contents }: { readonly rows: CenterRows; readonly contents: Contents },
  { workspaceId, now, write, remember }: CenterChange,
): Promise<Awaited<ReturnType<CenterStore["commit"]>>> {
  const contentId = write && await contents.write(workspaceId, write.after.content);
  return await rows.change<"repeated" | "name_taken" | "changed">(workspaceId, async () => {
    if (remember && await rememberedIn(rows, workspaceId, { requestHash: remember.requestHash, now })) return "repeated";
    const obstacle = write && await obstacleTo(rows, workspaceId, write);
    if (obstacle) return obstacle;
    return [
      ...(write === undefined || contentId === undefined ? [] : centerRows(write, contentId)),
      ...(remember ? [markRow(remember, now)] : []),
    ];
  });
}

async function obstacleTo(
  rows: CenterRows,
  workspaceId: string,
  { before, after }: NonNullable<CenterChange["write"]>,
): Promise<"name_taken" | "changed" | undefined> {
  if (before === undefined) return await rows.get(workspaceId, "name", after.name) === undefined ? undefined : "name_taken";
  const known = await rows.get(workspaceId, "center", before.id) as CenterRow | undefined;
  return known?.version === before.version ? undefined : "changed";
}

function centerRows({ before, after, written }: NonNullable<CenterChange["write"]>, contentId: string): RowWrite[] {
  const { workspaceId: _workspaceId, content, ...head } = after;
  const state: CenterState = content.state;
  const center: CenterRow = { ...head, state, contentId };
  const version: VersionRow = { ...written, contentId };
  return [
    { kind: "center", id: after.id, body: center },
    { kind: "version", id: versionId(after.id, after.version), body: version },
    ...(before === undefined ? [{ kind: "name", id: after.name, body: after.id } as const] : []),
  ];
}

function markRow({ requestHash, ...mark }: Remembered, now: number): RowWrite {
  return { kind: "mark", id: requestHash, body: mark, keepMs: Math.max(1_000, mark.expiresAt - now) };
}

async function rememberedIn(
  rows: CenterRows,
  workspaceId: string,
  { requestHash, now }: { readonly requestHash: string; readonly now: number },
): Promise<Remembered | undefined> {
  const mark = await rows.get(workspaceId, "mark", requestHash) as Omit<Remembered, "requestHash"> | undefined;
  return mark !== undefined && mark.expiresAt > now ? { requestHash, ...mark } : undefined;
}

/** A partition of its own for each ring, which no workspace's is. */
function partitionOf(ring: string): string {
  return `*${ring}`;
}

interface KeyRow {
  readonly id: number;
  readonly bytes: string;
}

function linkKeysIn(rows: CenterRows): LinkKeys {
  async function all(ring: string): Promise<SealKey[]> {
    const found = await rows.all(partitionOf(ring), "key") as KeyRow[];
    return found.map(({ id, bytes }) => ({ id, bytes: new Uint8Array(Buffer.from(bytes, "base64")) })).sort((a, b) => b.id - a.id);
  }
  return {
    all,
    async add(ring, make, { unlessAny }) {
      await rows.change(partitionOf(ring), async () => {
        const [newest] = await all(ring);
        if (unlessAny && newest !== undefined) return "there";
        const { id, bytes } = make((newest?.id ?? 0) + 1);
        const body: KeyRow = { id, bytes: Buffer.from(bytes).toString("base64") };
        return [{ kind: "key", id: String(id).padStart(10, "0"), body }];
      });
    },
  };
}
