/** What a backup may rely on with every store of preference centers and translations. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import type { CenterContent, CenterSummary } from "../domain/center.ts";
import type { Remembered, WrittenVersion } from "../domain/center-ports.ts";
import { campaign, canvas, ids, settings } from "../domain/translation.fixture.ts";
import type { ContentMove, ContentRows, ContentStores, MovedMark } from "./moved-rows.ts";

export interface ContentMoveDriver extends ContentStores {
  readonly move: ContentMove;
  /** Of its clock, Unix milliseconds. */
  readonly now: number;
  close(): Promise<void>;
}

const content: CenterContent = {
  title: "T",
  pageHtml: "<p>\u{1F9F5}</p>",
  confirmationHtml: "",
  redirectHtml: null,
  options: { linkTags: [] },
  state: "active",
};
const key = { messageId: ids.email, localeId: ids.spanish };
const source = { messageId: ids.email, localeId: "" };
const versionsInAll = 2 * limits.movedVersionsPerPage + 1;

function summaryOf(id: string, version: number): CenterSummary {
  return { id, name: `name of ${id}`, version, createdAt: 1_000, updatedAt: 1_000 + version, state: "active" };
}

function versionOf(version: number): WrittenVersion {
  const restored = version === 3 ? { restoredFrom: 1 } : {};
  const written = { version, writtenAt: 1_000 + version, actor: "k", requestId: `r-${version}`, ...restored };
  return { written, content: { ...content, title: `T ${version}` } };
}

export function describeContentMove(driver: string, open: () => Promise<ContentMoveDriver>): void {
  describe(`a move of preference centers and translations (${driver})`, () => {
    let store: ContentMoveDriver;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    /** All that is read of the workspaces, the pieces put together. */
    async function read(...workspaceIds: string[]) {
      const pieces: ContentRows[] = [];
      for await (const rows of store.move.read(new Set(workspaceIds))) pieces.push(rows);
      const centers = Map.groupBy(pieces.flatMap(({ center }) => center ? [center] : []), ({ summary }) => summary.id);
      return {
        pageSettings: pieces.flatMap(({ pageSettings }) => pageSettings ? [pageSettings] : []),
        centers: [...centers.values()].map((some) => ({
          summary: some[0]?.summary,
          versions: some.flatMap(({ versions }) => versions).toSorted((one, other) => one.written.version - other.written.version),
        })),
        remembered: pieces.flatMap(({ remembered = [] }) => remembered),
        declared: pieces.flatMap(({ declared }) => declared ? [declared] : []),
        texts: pieces.flatMap(({ texts }) => texts ? [texts] : []),
        marks: pieces.flatMap(({ marks = [] }) => marks),
      };
    }
    function remembered(requestHash: string, leftMs: number): Remembered {
      return { requestHash, bodyHash: "b", answer: { ...summaryOf("c-1", 1), warnings: ["w"] }, expiresAt: store.now + leftMs };
    }
    function mark(requestHash: string, leftMs: number): MovedMark {
      return { requestHash, bodyHash: "b", expiresAt: store.now + leftMs };
    }
    function all(): readonly Omit<ContentRows, "workspaceId">[] {
      const versions = Array.from({ length: versionsInAll }, (_, at) => versionOf(at + 1)).toReversed();
      const summary = summaryOf("c-1", versionsInAll);
      return [
        { pageSettings: { scriptsAllowed: true, origins: ["https://cdn.example.com"] } },
        { center: { summary, versions: versions.slice(0, 5) } },
        { center: { summary, versions: versions.slice(5) } },
        { center: { summary: summaryOf("c-2", 1), versions: [versionOf(1)] } },
        { remembered: [remembered("h", 60_000), remembered("over", -1)] },
        { declared: { settings, owners: [campaign, canvas] } },
        { texts: { key: source, texts: new Map([["id_0", "Hello"]]) } },
        { texts: { key, texts: new Map([["id_0", "Hola"], ["__proto__", "¡Adiós! \u{1F600}"], ["empty", ""]]) } },
        { marks: [mark("t", 60_000)] },
      ];
    }
    async function write(workspaceId: string, pieces: readonly Omit<ContentRows, "workspaceId">[]): Promise<void> {
      for (const rows of pieces) await store.move.write({ workspaceId, ...rows });
    }

    test("read() gives what write() brought, once, and nothing of other workspaces", async () => {
      await write("w", all());
      await write("v", [{ center: { summary: summaryOf("c-3", 1), versions: [versionOf(1)] } }]);
      const found = await read("w");
      expect(found.pageSettings).toEqual([{ scriptsAllowed: true, origins: ["https://cdn.example.com"] }]);
      expect(found.centers).toEqual([
        { summary: summaryOf("c-1", versionsInAll), versions: Array.from({ length: versionsInAll }, (_, at) => versionOf(at + 1)) },
        { summary: summaryOf("c-2", 1), versions: [versionOf(1)] },
      ]);
      expect(found.remembered).toEqual([remembered("h", 60_000)]);
      expect(found.declared).toEqual([{ settings, owners: [campaign, canvas] }]);
      expect(found.texts).toEqual(all().flatMap(({ texts }) => texts ? [texts] : []));
      expect(found.marks).toEqual([mark("t", 60_000)]);
      expect((await read("v")).centers).toHaveLength(1);
      expect((await read("x")).centers).toEqual([]);
    });

    test("write() again changes nothing that is read", async () => {
      await write("w", all());
      const before = await read("w");
      await write("w", [...all().slice(0, 6), ...all()]);
      expect(await read("w")).toEqual(before);
    });

    test("what was brought is found, changed and answered again as if it had been made here", async () => {
      await write("w", all());
      const center = await store.centers.byName("w", "name of c-1");
      expect(center).toMatchObject({ id: "c-1", version: versionsInAll, content: { title: `T ${versionsInAll}` } });
      expect(await store.centers.version("w", "c-1", 2)).toEqual(versionOf(2));
      expect(await store.centers.remembered("w", "h", store.now)).toEqual(remembered("h", 60_000));
      const before = center ?? expect.unreachable();
      const after = { ...before, version: before.version + 1, updatedAt: 9_000, content: { ...before.content, title: "after" } };
      const written = { version: after.version, writtenAt: 9_000, actor: "k", requestId: "r" };
      expect(await store.centers.commit({ workspaceId: "w", now: store.now, write: { before, after, written } })).toBe("committed");
      expect(await store.centers.byId("w", "c-1")).toEqual(after);
      const taken = { ...after, id: "c-9", version: 1 };
      expect(await store.centers.commit({ workspaceId: "w", now: store.now, write: { after: taken, written } })).toBe("name_taken");
      expect(await store.translations.holder("w", ids.stepEmail)).toEqual(canvas);
      const texts = new Map([["id_0", "Otra"]]);
      const again = { key, texts, now: store.now, mark: { requestHash: "t", bodyHash: "another" } };
      expect(await store.translations.putTexts("w", again)).toBe("reused");
      expect(await store.translations.putTexts("w", { key, texts, now: store.now })).toBe("committed");
      expect(await store.translations.texts("w", [key])).toEqual([texts]);
    });
  });
}
