/** The store of preference centers: a center names its newest content, as each of its versions names its own. */
import { type Documents, head, nextHead, type Write } from "../../../platform/documents/documents.ts";
import { openCache } from "../../../platform/cache.ts";
import { limits } from "../../../platform/limits.ts";
import type { Center, CenterContent, CenterSummary, CenterVersion, PageSettings } from "../domain/center.ts";
import type { CenterChange, CenterStore, IdempotencyEntry } from "../domain/center-ports.ts";

interface CenterDocument extends CenterSummary {
  readonly contentId: string;
}

interface VersionDocument extends CenterVersion {
  readonly contentId: string;
}

/** `newContentId` gives a text that was never given before. */
export function openCenterStore(
  { documents, newContentId }: { readonly documents: Documents; readonly newContentId: () => string },
): CenterStore {
  // A content never changes under its id, so what was read stays true
  const cache = openCache<CenterContent>({ entriesMax: limits.contentsKeptMax, sizeMax: limits.contentsKeptCharsMax });
  async function contentOf(workspaceId: string, contentId: string): Promise<CenterContent> {
    const place = `${workspaceId} ${contentId}`;
    const known = cache.get(place);
    if (known) return known;
    const content = await documents.get(workspaceId, { kind: "content", id: contentId }) as CenterContent | undefined;
    if (content === undefined) throw new Error(`The content "${contentId}" is named and not there`);
    cache.put(place, content, JSON.stringify(content).length);
    return content;
  }
  async function byId(workspaceId: string, id: string): Promise<Center | undefined> {
    const found = id === "" ? undefined : await documents.get(workspaceId, { kind: "center", id }) as CenterDocument | undefined;
    if (found === undefined) return undefined;
    const { contentId, state: _state, ...summary } = found;
    return { workspaceId, ...summary, content: await contentOf(workspaceId, contentId) };
  }
  return {
    byId,
    async byName(workspaceId, name) {
      const id = await documents.get(workspaceId, { kind: "name", id: name });
      return id === undefined ? undefined : await byId(workspaceId, String(id));
    },
    async summaries(workspaceId) {
      const found = await documents.list(workspaceId, "center");
      return found.map(({ value }) => withoutContentId(value as CenterDocument)).sort(byCreation);
    },
    async versions(workspaceId, id, { before, limit }) {
      const found = await documents.between(workspaceId, "version", { above: versionId(id, before), below: `${id} ~`, limit });
      return found.map(({ value }) => withoutContentId(value as VersionDocument));
    },
    async version(workspaceId, id, version) {
      const found = await documents.get(workspaceId, { kind: "version", id: versionId(id, version) }) as VersionDocument | undefined;
      if (found === undefined) return undefined;
      const { contentId, ...written } = found;
      return { written, content: await contentOf(workspaceId, contentId) };
    },
    async remembered(workspaceId, requestHash, now) {
      const mark = await documents.get(workspaceId, { kind: "mark", id: requestHash }) as Omit<IdempotencyEntry, "requestHash"> | undefined;
      return mark !== undefined && mark.expiresAt > now ? { requestHash, ...mark } : undefined;
    },
    commit: (change) => commit(documents, change, newContentId()),
    async settings(workspaceId) {
      return (await documents.get(workspaceId, pageSettings) ?? { scriptsAllowed: false, origins: [] }) as PageSettings;
    },
    async putSettings(workspaceId, settings) {
      await documents.changeIf(workspaceId, {
        reads: [head],
        plan: ([found]) => [nextHead(found), { key: pageSettings, value: settings }],
      });
    },
  };
}

const pageSettings = { kind: "settings", id: "pages" };

/** A content whose change does not come about may stay; it is never named, and small in number: writes are limited. */
async function commit(documents: Documents, { workspaceId, now, write, remember }: CenterChange, contentId: string) {
  const content: Write[] = write ? [{ key: { kind: "content", id: contentId }, value: write.after.content }] : [];
  const mark = { kind: "mark", id: remember?.requestHash ?? "" };
  const rests = write && (write.before ? { kind: "center", id: write.before.id } : { kind: "name", id: write.after.name });
  return await documents.changeIf<"repeated" | "name_taken" | "changed">(workspaceId, {
    reads: [head, ...(remember ? [mark] : []), ...(rests ? [rests] : [])],
    large: content,
    plan(found) {
      const known = remember && found[1] as IdempotencyEntry | undefined;
      if (known && known.expiresAt > now) return "repeated";
      const there = write && found.at(-1);
      if (write && !write.before && there !== undefined) return "name_taken";
      if (write?.before && (there as CenterDocument | undefined)?.version !== write.before.version) return "changed";
      const { requestHash: _requestHash, ...value } = remember ?? { requestHash: "" };
      return [
        nextHead(found[0]),
        ...content,
        ...(write ? centerWrites(write, contentId) : []),
        ...(remember ? [{ key: mark, value }] : []),
      ];
    },
  });
}

function centerWrites({ before, after, written }: NonNullable<CenterChange["write"]>, contentId: string): Write[] {
  const { workspaceId: _workspaceId, content, ...summary } = after;
  const center: CenterDocument = { ...summary, state: content.state, contentId };
  const version: VersionDocument = { ...written, contentId };
  return [
    { key: { kind: "center", id: after.id }, value: center },
    { key: { kind: "version", id: versionId(after.id, after.version) }, value: version },
    ...(before === undefined ? [{ key: { kind: "name", id: after.name }, value: after.id }] : []),
  ];
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
