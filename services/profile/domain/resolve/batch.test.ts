/** Tests of the resolver's loop: repeats, rows it needs, and the cache under it. */
import { describe, expect, test } from "vitest";
import { createIdentities, NeedRows } from "../identity/identities.ts";
import type { Idempotency, IntakeRecord } from "../record/intake-record.ts";
import { resolveBatch } from "./batch.ts";
import { attributes, bodyOf, byEmail, byId, createWorkspace, event, type Request, start } from "./resolver-workspace.fixture.ts";

const options = { now: start, undoWindowMs: 1 };

function record(sequence: number, request: Request): IntakeRecord {
  return { sequence, workspaceId: "ws", requestId: "q", actor: "key", receivedAt: start, body: bodyOf(request) };
}

describe("resolveBatch() with an Idempotency-Key", () => {
  const key: Idempotency = { keyHash: "k", bodyHash: "b", keepMs: 1_000, answer: "first answer" };

  test("the first has effects, a repeat has its answer, another body has neither", () => {
    const workspace = createWorkspace();
    const first = workspace.runKeyed(event(byId("a")), key);
    const repeat = workspace.runKeyed(event(byId("a")), { ...key, answer: "second answer" });
    const reused = workspace.runKeyed(event(byId("b")), { ...key, bodyHash: "other" });
    expect(first).toMatchObject({ outcome: { kind: "first", answer: "first answer" }, profiles: [{}, {}, {}] });
    expect(repeat).toMatchObject({ outcome: { kind: "repeat", answer: "first answer" }, profiles: [], consent: [] });
    expect(reused).toMatchObject({ outcome: { kind: "reused", answer: "first answer" }, profiles: [] });
    expect(workspace.idOf(byId("b"))).toBeUndefined();
  });

  test("what was sent decides, and what was asked where the build before has one of the two", () => {
    const workspace = createWorkspace();
    const [sent, ofBefore] = [{ ...key, sentHash: "s" }, key];
    function kindOf(again: Idempotency): string | undefined {
      return workspace.runKeyed(event(byId("a")), again)?.outcome?.kind;
    }
    expect([sent, sent, { ...sent, sentHash: "s2" }, ofBefore, { ...ofBefore, bodyHash: "other" }].map(kindOf))
      .toEqual(["first", "repeat", "reused", "repeat", "reused"]);
    const [later, laterOfBefore] = [{ ...sent, keyHash: "k2" }, { ...ofBefore, keyHash: "k2" }];
    expect([laterOfBefore, later, { ...later, bodyHash: "other" }].map(kindOf)).toEqual(["first", "repeat", "reused"]);
  });

  test("one that expired counts as first", () => {
    const workspace = createWorkspace();
    workspace.runKeyed(event(byId("a")), key);
    workspace.advance(key.keepMs - 1);
    expect(workspace.runKeyed(event(byId("a")), key)?.outcome?.kind).toBe("repeat");
    workspace.advance(1);
    expect(workspace.runKeyed(event(byId("a")), { ...key, bodyHash: "other" })).toMatchObject({
      outcome: { kind: "first" },
      profiles: [{}],
    });
  });

  test("a repeat tells what became of the parts of the first", () => {
    const workspace = createWorkspace();
    workspace.run(event(byId("old")));
    const rename = { type: "renameExternalIds" as const, renames: [{ current: "old", next: "new" }] };
    const first = workspace.runKeyed(rename, key);
    expect(first?.items).toEqual([{ index: 0, ok: true, reason: "" }]);
    expect(workspace.runKeyed(rename, key)).toMatchObject({ outcome: { kind: "repeat" }, items: first?.items });
  });
});

describe("resolveBatch() without all rows", () => {
  test("stops before the record, with what it and the later ones need", () => {
    const view = createIdentities("ws");
    view.load(["x:a", "w:count"], new Map());
    const records = [record(1, event(byId("a"))), record(2, event(byId("b"))), record(3, event(byEmail("e@b.c")))];
    const { resolved, need } = resolveBatch(view, records, options);
    expect(resolved.map(({ sequence }) => sequence)).toEqual([1]);
    expect(need?.toSorted()).toEqual(["e:e@b.c", "x:b"]);
  });

  test("a record that stops half way leaves nothing behind", () => {
    const view = createIdentities("ws");
    view.load(["x:a", "w:count"], new Map());
    const { resolved } = resolveBatch(view, [record(1, [event(byId("a")), event(byId("b"))])], options);
    expect(resolved).toEqual([]);
    expect(view.changes().size).toBe(0);
    expect(view.userOf("x:a")).toBeUndefined();
  });

  test("a fault is thrown for the first record only, and what was resolved before it is returned", () => {
    const view = createIdentities("ws");
    view.load(["x:a", "w:count"], new Map());
    const broken = { ...record(2, []), body: { type: "track", objects: null } } as unknown as IntakeRecord;
    expect(resolveBatch(view, [record(1, event(byId("a"))), broken], options).resolved.length).toBe(1);
    expect(() => resolveBatch(view, [broken], options)).toThrow(TypeError);
  });
});

describe("createIdentities()", () => {
  test("changes are the net values until confirm, and outlive eviction", () => {
    const view = createIdentities("ws");
    view.put("x:a", "1");
    view.keep();
    view.put("x:a", undefined);
    view.put("x:b", "2");
    view.keep();
    view.evict(0);
    view.load(["x:b"], new Map([["x:b", "stale"]]));
    expect(view.changes()).toEqual(new Map([["x:a", undefined], ["x:b", "2"]]));
    expect(view.holderOf("x:b")).toBe("2");
    view.confirm();
    view.evict(0);
    expect(view.changes().size).toBe(0);
    expect(() => view.holderOf("x:b")).toThrow(NeedRows);
  });

  test("discard and drop forget; a deleted row hides the cached one", () => {
    const view = createIdentities("ws");
    view.load(["x:a"], new Map([["x:a", "1"]]));
    view.put("x:a", undefined);
    expect(view.holderOf("x:a")).toBeUndefined();
    view.discard();
    expect(view.holderOf("x:a")).toBe("1");
    view.drop();
    expect(view.peek("x:a")).toBeUndefined();
  });

  test("eviction keeps what was read of late, and about as many rows as asked", () => {
    const view = createIdentities("ws");
    for (let index = 0; index < 1_000; index += 1) {
      const key = `x:${index}` as const;
      view.load([key], new Map([[key, "1"]]));
      view.holderOf("x:0");
      view.evict(100);
    }
    const kept = Array.from({ length: 1_000 }, (_, index) => view.peek(`x:${index}`)).filter((row) => row !== undefined);
    expect(view.holderOf("x:0")).toBe("1");
    expect(kept.length).toBeLessThanOrEqual(110);
    expect(kept.length).toBeGreaterThanOrEqual(50);
  });
});

test("resolveBatch() asks for rows of a whole batch in few rounds", () => {
  const workspace = createWorkspace();
  workspace.run(...Array.from({ length: 50 }, (_, index) => attributes(byId(`${index}`), { email: `${index}@b.c` })));
  const view = createIdentities("ws");
  const records = Array.from({ length: 50 }, (_, index) => record(100 + index, event(byId(`${index}`))));
  let done = 0;
  let rounds = 0;
  while (done < records.length) {
    const { resolved, need } = resolveBatch(view, records.slice(done), options);
    done += resolved.length;
    view.load(need ?? [], workspace.store);
    rounds += 1;
  }
  expect(rounds).toBeLessThanOrEqual(4);
});
