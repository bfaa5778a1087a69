/** Tests of taking merges back: both sides as if the merge had not been, with what was sent to each since. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { profileChange } from "../../../../test/arbitrary/profile-record.ts";
import { profileToRow } from "../../store/rows.ts";
import { freeze, type MergeRecord, takeBack, takeIn } from "./apply-merge.ts";
import { applyRecord } from "../profile/apply-records.ts";
import type { FrozenMerge } from "../ports.ts";
import type { Profile } from "../profile/profile.ts";
import type { MergeSide, ProfileChange, ProfileRecord } from "../profile/profile-record.ts";

const start = Date.UTC(2026, 0, 1, 12);
const users = ["a", "b", "c", "d"] as const;
const user = fc.constantFrom(...users);

type Move =
  | { readonly type: "send"; readonly to: string; readonly change: ProfileChange }
  | { readonly type: "merge"; readonly source: string; readonly target: string }
  | { readonly type: "undo" };

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("send" as const), to: user, change: profileChange }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("merge" as const), source: user, target: user }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("undo" as const) }) },
);

test("takeBack() gives both sides what they would be without the merges, nested and chained as they may be", () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60, size: "max" }), (moves) => {
      const world = new World();
      for (const one of moves) world.play(one);
      world.undoAll();
      for (const id of users) expect(world.row(id)).toBe(world.rowOfLoneUser(id));
    }),
    { numRuns: 300 },
  );
});

test("takeBack() puts the undo's mark on both sides, so that nothing from before is applied again", () => {
  const world = new World();
  world.play({ type: "merge", source: "a", target: "b" });
  const sent = world.play({ type: "send", to: "a", change: { type: "event", name: "x", time: start } });
  world.undoAll();
  const profile = world.live.get("a");
  expect(profile?.mark).toEqual(world.live.get("b")?.mark);
  if (profile && sent) applyRecord(profile, { ...sent, userId: "a" });
  expect(profile?.events.get("x")?.count).toBe(1);
});

test("takeBack() notes on both sides that a merge was taken back, and forgets none of later merges", () => {
  const world = new World();
  for (const source of ["a", "c"]) world.play({ type: "merge", source, target: "b" });
  world.undoAll();
  const [first, second] = ["a", "c"].map((id) => world.live.get(id)?.undone);
  expect(first).toMatchObject([{ mergeId: "m5", otherId: "b", wasSource: true }]);
  expect(second).toMatchObject([{ mergeId: "m6", otherId: "b", wasSource: true }]);
  expect(world.live.get("b")?.undone).toMatchObject([
    { mergeId: "m6", otherId: "c", wasSource: false, sequence: 7 },
    { mergeId: "m5", otherId: "a", wasSource: false, sequence: 8 },
  ]);
});

test("takeIn() takes a source in once", () => {
  const world = new World();
  world.play({ type: "send", to: "a", change: { type: "event", name: "x", time: start } });
  world.play({ type: "merge", source: "a", target: "b" });
  const [target, open] = [world.live.get("b"), world.open[0]];
  if (!target || !open) throw new Error("Expected an open merge into b");
  takeIn(target, open.frozen.source, open.awaiting);
  expect(target.events.get("x")?.count).toBe(1);
});

test("takeBack() leaves the frozen copies as they are", () => {
  const world = new World();
  world.play({ type: "merge", source: "a", target: "b" });
  world.play({ type: "send", to: "b", change: { type: "event", name: "x", time: start } });
  const frozen = world.open[0]?.frozen;
  const before = frozen && [profileToRow(frozen.source), profileToRow(frozen.targetBefore)];
  world.undoAll();
  expect(frozen && [profileToRow(frozen.source), profileToRow(frozen.targetBefore)]).toEqual(before);
});

interface OpenMerge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly awaiting: MergeRecord<"await">;
  frozen: FrozenMerge;
}

/** Users with merges between them, and beside it the records that each user was sent, for a life without merges. */
class World {
  readonly live = new Map<string, Profile>();
  readonly open: OpenMerge[] = [];
  readonly #sent = new Map<string, ProfileRecord[]>();
  #sequence = 0;

  constructor() {
    for (const id of users) this.play({ type: "send", to: id, change: { type: "create" } });
  }

  play(move: Move): ProfileRecord | undefined {
    this.#sequence++;
    if (move.type === "send") return this.#send(move.to, move.change);
    if (move.type === "undo") this.#undo();
    else if (move.source !== move.target && this.live.has(move.source) && this.live.has(move.target)) this.#merge(move);
    return undefined;
  }

  undoAll(): void {
    while (this.open.length > 0) this.play({ type: "undo" });
  }

  row(id: string): string | undefined {
    return unmarked(this.live.get(id));
  }

  rowOfLoneUser(id: string): string | undefined {
    let profile: Profile | undefined;
    for (const record of this.#sent.get(id) ?? []) profile = applyRecord(profile, record) ?? undefined;
    return unmarked(profile);
  }

  #send(to: string, change: ProfileChange): ProfileRecord {
    const path = this.open.reduce<OpenMerge[]>((ways, merge) => (ways.at(-1)?.target ?? to) === merge.source ? [...ways, merge] : ways, []);
    const [mergeId, ...inner] = path.map(({ id }) => id).toReversed();
    const side: { side?: MergeSide } = mergeId === undefined ? {} : { side: { mergeId, inner } };
    const record: ProfileRecord = { ...this.#record(path.at(-1)?.target ?? to, change), ...side };
    this.#deliver(record);
    this.#sent.set(to, [...this.#sent.get(to) ?? [], { ...record, userId: to }]);
    return record;
  }

  #merge({ source, target }: { source: string; target: string }): void {
    const id = `m${this.#sequence}`;
    const change = { type: "await", mergeId: id, sourceId: source, undoUntil: start * 2 } as const;
    const awaiting: MergeRecord<"await"> = { ...this.#record(target, change), change };
    const sides = { source: this.#profile(source), target: this.#profile(target) };
    const frozen = freeze(sides, awaiting);
    takeIn(sides.target, frozen.source, awaiting);
    this.live.delete(source);
    this.open.push({ id, source, target, awaiting, frozen });
    this.#deliver({
      ...this.#record(target, { type: "identity", email: "of-the-merge@example.com", aliases: [] }),
      mark: [this.#sequence, 1],
    });
  }

  #undo(): void {
    const merge = this.open.pop();
    if (!merge) return;
    const change = { type: "undo", mergeId: merge.id, sourceId: merge.source } as const;
    const taken = takeBack(merge.frozen, { ...this.#record(merge.target, change), change }, this.live.get(merge.target)?.undone);
    this.live.set(merge.source, taken.source).set(merge.target, taken.target);
    for (const record of [...taken.sourceRecords, ...taken.targetRecords]) this.#journal(record);
  }

  #deliver(record: ProfileRecord): void {
    const profile = applyRecord(this.live.get(record.userId), record);
    if (profile) this.live.set(record.userId, profile);
    this.#journal(record);
  }

  #journal(record: ProfileRecord): void {
    const newest = this.open.findLast((merge) => merge.target === record.userId);
    if (newest) newest.frozen = { ...newest.frozen, journal: [...newest.frozen.journal, record] };
  }

  #record(userId: string, change: ProfileChange): ProfileRecord {
    return { userId, mark: [this.#sequence, 0], now: start + this.#sequence * 20_000_000, change };
  }

  #profile(id: string): Profile {
    const profile = this.live.get(id);
    if (!profile) throw new Error(`Expected user "${id}"`);
    return profile;
  }
}

/** Without the traces of the merges. */
function unmarked(profile: Profile | undefined): string | undefined {
  if (profile === undefined) return undefined;
  const { undone: _, ...alone } = profile;
  return profileToRow({ ...alone, mark: [0, 0] });
}
