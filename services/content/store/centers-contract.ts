/** What every store of preference centers does, whatever it stands on. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SealKey } from "../../../platform/sealed-token.ts";
import type { Center, CenterContent } from "../domain/center.ts";
import type { CenterChange, CenterStore, IdempotencyEntry } from "../domain/center-ports.ts";
import type { LinkKeys } from "../../../platform/link-keys.ts";

export interface OpenCenters {
  readonly centers: CenterStore;
  readonly linkKeys: LinkKeys;
  close(): Promise<void>;
}

const content: CenterContent = {
  title: "T",
  pageHtml: "<p>\u{1F9F5}</p>",
  confirmationHtml: "",
  redirectHtml: null,
  options: { viewport: "width=device-width", linkTags: [{ rel: "icon", href: "https://x.example/i.png" }] },
  state: "active",
};

function center(more: Partial<Center> = {}): Center {
  return { workspaceId: "w", id: "c-1", name: "main", version: 1, createdAt: 1_000, updatedAt: 1_000, content, ...more };
}

function written(after: Center, before?: Center): CenterChange {
  const { version, updatedAt } = after;
  const note = { version, writtenAt: updatedAt, actor: "key-1", requestId: `r-${version}` };
  return { workspaceId: after.workspaceId, now: updatedAt, write: { ...(before ? { before } : {}), after, written: note } };
}

function mark(more: Partial<IdempotencyEntry> = {}): IdempotencyEntry {
  const answer = { id: "c-1", name: "main", version: 1, createdAt: 1_000, updatedAt: 1_000, state: "active" as const, warnings: ["w"] };
  return { requestHash: "h-1", bodyHash: "b-1", sentHash: "s-1", answer, expiresAt: 50_000, ...more };
}

export function describeCenterStore(driver: string, open: () => Promise<OpenCenters>): void {
  describe(driver, () => {
    let at: OpenCenters;
    beforeEach(async () => {
      at = await open();
    });
    afterEach(() => at.close());

    test("commit() makes a center that is found by id and name in its own workspace only", async () => {
      expect(await at.centers.byId("w", "c-1")).toBeUndefined();
      expect(await at.centers.commit(written(center()))).toBe("committed");
      expect(await at.centers.byId("w", "c-1")).toEqual(center());
      expect(await at.centers.byName("w", "main")).toEqual(center());
      expect(await at.centers.byId("v", "c-1")).toBeUndefined();
      expect(await at.centers.byName("v", "main")).toBeUndefined();
      expect(await at.centers.commit(written(center({ workspaceId: "v" })))).toBe("committed");
    });

    test("commit() gives a name once, also to many at one moment", async () => {
      const ids = ["c-1", "c-2", "c-3", "c-4", "c-5"];
      const outcomes = await Promise.all(ids.map((id) => at.centers.commit(written(center({ id })))));
      expect(outcomes.toSorted()).toEqual(["committed", "name_taken", "name_taken", "name_taken", "name_taken"]);
      const found = await at.centers.summaries("w");
      expect(found).toHaveLength(1);
      expect((await at.centers.byName("w", "main"))?.id).toBe(found[0]?.id);
    });

    test("commit() changes a center only as it was read, once of many at one moment", async () => {
      await at.centers.commit(written(center()));
      const nexts = ["a", "b", "c"].map((title) => center({ version: 2, updatedAt: 2_000, content: { ...content, title } }));
      const outcomes = await Promise.all(nexts.map((after) => at.centers.commit(written(after, center()))));
      expect(outcomes.toSorted()).toEqual(["changed", "changed", "committed"]);
      const now = await at.centers.byId("w", "c-1");
      expect(now).toEqual(nexts[outcomes.indexOf("committed")]);
      expect(await at.centers.commit(written(center({ id: "c-9", name: "other", version: 2 }), center({ id: "c-9" })))).toBe("changed");
      expect(await at.centers.byId("w", "c-9")).toBeUndefined();
    });

    test("versions() and version() keep every version, the newest first", async () => {
      let before = center();
      await at.centers.commit(written(before));
      for (const version of [2, 3, 4]) {
        const after = center({
          version,
          updatedAt: version * 1_000,
          content: { ...content, redirectHtml: `<p>${version}</p>`, state: "draft" },
        });
        await at.centers.commit(written(after, before));
        before = after;
      }
      const page = await at.centers.versions("w", "c-1", { before: 4, limit: 2 });
      expect(page).toEqual([3, 2].map((version) => ({ version, writtenAt: version * 1_000, actor: "key-1", requestId: `r-${version}` })));
      expect((await at.centers.versions("w", "c-1", { before: 2_147_483_647, limit: 10 })).map(({ version }) => version)).toEqual([
        4,
        3,
        2,
        1,
      ]);
      expect(await at.centers.version("w", "c-1", 1)).toEqual({
        written: { version: 1, writtenAt: 1_000, actor: "key-1", requestId: "r-1" },
        content,
      });
      expect((await at.centers.version("w", "c-1", 3))?.content.redirectHtml).toBe("<p>3</p>");
      expect(await at.centers.version("w", "c-1", 5)).toBeUndefined();
      expect(await at.centers.version("v", "c-1", 1)).toBeUndefined();
    });

    test("version() tells from which version one was restored", async () => {
      await at.centers.commit(written(center()));
      const after = center({ version: 2, content: { ...content, title: "U" } });
      const change = written(after, center());
      await at.centers.commit({
        ...change,
        write: { before: center(), after, written: { version: 2, writtenAt: 5, actor: "a", requestId: "r", restoredFrom: 1 } },
      });
      expect((await at.centers.version("w", "c-1", 2))?.written).toEqual({
        version: 2,
        writtenAt: 5,
        actor: "a",
        requestId: "r",
        restoredFrom: 1,
      });
    });

    test("summaries() come in the order of creation and carry the newest state", async () => {
      await at.centers.commit(written(center({ id: "c-2", name: "b", createdAt: 2_000 })));
      await at.centers.commit(written(center({ id: "c-1", name: "a", createdAt: 3_000 })));
      await at.centers.commit(written(center({ id: "c-3", name: "c", createdAt: 1_000, content: { ...content, state: "draft" } })));
      expect((await at.centers.summaries("w")).map(({ id, name, state }) => [id, name, state])).toEqual([
        ["c-3", "c", "draft"],
        ["c-2", "b", "active"],
        ["c-1", "a", "active"],
      ]);
      expect(await at.centers.summaries("v")).toEqual([]);
    });

    test("commit() keeps a mark with its change, once, and nothing of a change whose mark is there", async () => {
      expect(await at.centers.commit({ ...written(center()), remember: mark() })).toBe("committed");
      expect(await at.centers.remembered("w", "h-1", 49_999)).toEqual(mark());
      expect(await at.centers.remembered("w", "h-1", 50_000)).toBeUndefined();
      expect(await at.centers.remembered("v", "h-1", 1_000)).toBeUndefined();
      expect(await at.centers.commit({ ...written(center({ id: "c-2", name: "b" })), remember: mark({ bodyHash: "b-2" }) })).toBe(
        "repeated",
      );
      expect(await at.centers.byName("w", "b")).toBeUndefined();
      expect((await at.centers.remembered("w", "h-1", 1_000))?.bodyHash).toBe("b-1");
      expect(await at.centers.commit({ workspaceId: "w", now: 1_000, remember: mark({ requestHash: "h-2" }) })).toBe("committed");
      expect(await at.centers.remembered("w", "h-2", 1_000)).toBeDefined();
    });

    test("commit() of one mark with several bodies at one moment keeps one", async () => {
      const bodies = ["b-1", "b-2", "b-3", "b-4"];
      const outcomes = await Promise.all(
        bodies.map((bodyHash, place) =>
          at.centers.commit({ ...written(center({ id: `c-${place}`, name: `n-${place}` })), remember: mark({ bodyHash }) })
        ),
      );
      expect(outcomes.toSorted()).toEqual(["committed", "repeated", "repeated", "repeated"]);
      expect((await at.centers.remembered("w", "h-1", 1_000))?.bodyHash).toBe(bodies[outcomes.indexOf("committed")]);
      expect(await at.centers.summaries("w")).toHaveLength(1);
    });

    test("a mark whose time is over gives way", async () => {
      await at.centers.commit({ ...written(center()), remember: mark() });
      const change = { ...written(center({ id: "c-2", name: "b" })), now: 50_000, remember: mark({ bodyHash: "b-2", expiresAt: 99_000 }) };
      expect(await at.centers.commit(change)).toBe("committed");
      expect((await at.centers.remembered("w", "h-1", 50_000))?.bodyHash).toBe("b-2");
    });

    test("a page of a megabyte is kept whole", async () => {
      const pageHtml = `<p>${"\u00e4".repeat(500_000)}</p>`;
      await at.centers.commit(written(center({ content: { ...content, pageHtml } })));
      expect((await at.centers.byId("w", "c-1"))?.content.pageHtml).toBe(pageHtml);
    });

    test("settings() are closed until they are put, and a workspace's own", async () => {
      expect(await at.centers.settings("w")).toEqual({ scriptsAllowed: false, origins: [] });
      await at.centers.putSettings("w", { scriptsAllowed: true, origins: ["https://cdn.example"] });
      await at.centers.putSettings("w", { scriptsAllowed: true, origins: [] });
      expect(await at.centers.settings("w")).toEqual({ scriptsAllowed: true, origins: [] });
      expect(await at.centers.settings("v")).toEqual({ scriptsAllowed: false, origins: [] });
    });

    test("link keys are numbered, the newest first, and the first is made once", async () => {
      function key(id: number): SealKey {
        return { id, bytes: new Uint8Array(32).fill(id) };
      }
      await Promise.all([1, 2, 3].map(() => at.linkKeys.add("a", key, { unlessAny: true })));
      expect((await at.linkKeys.all("a")).map(({ id }) => id)).toEqual([1]);
      await at.linkKeys.add("a", key, { unlessAny: false });
      expect((await at.linkKeys.all("a")).map(({ id, bytes }) => [id, bytes[31], bytes.length])).toEqual([[2, 2, 32], [1, 1, 32]]);
      await at.linkKeys.add("", key, { unlessAny: true });
      expect([(await at.linkKeys.all("")).length, (await at.linkKeys.all("b")).length]).toEqual([1, 0]);
    });
  });
}
