/** The reference: what the API promises, in plain maps and one thread, with no log and no store. Written from the specification. */
import { addressOf, type Key, type MergeRequest, type ModelUser, nameOf, newUser, type Report, type Selector } from "./reference-user.ts";
import { applyAttributes, applyEvent, applyPurchase, type TrackObject } from "./reference-track.ts";
import { copyUser, takeIn } from "./reference-merge.ts";

/** One workspace. Every method is one request; `now` is the place of the request in the order. */
export class Reference {
  readonly users = new Set<ModelUser>();
  readonly #names = new Map<string, ModelUser>();
  readonly #answers = new Map<string, string>();
  readonly #merges: OpenMerge[] = [];
  #turn = 0;

  /** `POST /users/track`: attributes, then events, then purchases, each in array order. */
  track(objects: readonly TrackObject[]): void {
    for (const kind of ["attribute", "event", "purchase"] as const) {
      for (const object of objects) if (object.kind === kind) this.#trackOne(object);
    }
  }

  /** Says whether a keyed request is the first of its key; repeats have no effect. */
  first(key: string, body: string): "first" | "repeat" | "reused" {
    const before = this.#answers.get(key);
    if (before === undefined) this.#answers.set(key, body);
    return before === undefined ? "first" : before === body ? "repeat" : "reused";
  }

  /** RPC ReportSession and ReportEngagement: no user is created. */
  report(report: Report): void {
    const user = this.#lookUp(report.user);
    if (!user) return;
    const run = (side: ModelUser) => void side.reports.push(report);
    run(user);
    this.#touch(user);
    this.#journal(user, report.user, run);
  }

  /** `POST /users/alias/new`. */
  aliasNew(entry: { externalId?: string; label: string; name: string }): void {
    const key: Key = { by: "alias", label: entry.label, name: entry.name };
    if (this.#names.has(nameOf(key))) return;
    if (entry.externalId === undefined) {
      this.#name(this.#create(), key);
      return;
    }
    const user = this.#names.get(nameOf({ by: "externalId", id: entry.externalId }));
    if (!user || user.aliases.has(entry.label)) return;
    this.#name(user, key);
    this.#touch(user);
    this.#journal(user, { by: "externalId", id: entry.externalId }, (side) => giveName(side, key));
  }

  /** `POST /users/alias/update`. */
  aliasUpdate(entry: { label: string; oldName: string; newName: string }): void {
    const old: Key = { by: "alias", label: entry.label, name: entry.oldName };
    const next: Key = { by: "alias", label: entry.label, name: entry.newName };
    const user = this.#names.get(nameOf(old));
    if (!user || this.#names.has(nameOf(next))) return;
    this.#names.delete(nameOf(old));
    this.#name(user, next);
    this.#touch(user);
    this.#journal(user, old, (side) => giveName(side, next));
  }

  /** One element of `merge_updates`; says whether anything happened. */
  merge(request: MergeRequest): boolean {
    const source = this.select(request.source);
    const target = this.select(request.target);
    if (!source || !target || source === target) return false;
    this.#mergeInto(source, target, request.id);
    return true;
  }

  /** One element of `/users/identify`. */
  identify(request: { user: Selector; externalId: string; id: string }): boolean {
    const source = this.select(request.user);
    if (!source || source.externalId !== null) return false;
    const known = this.#names.get(nameOf({ by: "externalId", id: request.externalId }));
    if (!known) {
      this.#name(source, { by: "externalId", id: request.externalId });
      this.#touch(source);
      this.#forbidUndo(source);
      return true;
    }
    const { key } = request.user;
    if (known === source || (key.by === "alias" && known.aliases.has(key.label))) return false;
    this.#mergeInto(source, known, request.id);
    return true;
  }

  /** `POST /users/merge/undo`; says whether the merge was taken back. */
  undo(id: string): boolean {
    const at = this.#merges.findLastIndex((merge) => merge.id === id);
    const merge = this.#merges[at];
    if (!merge || !merge.undoable || !this.users.has(merge.now)) return false;
    if (this.#merges.slice(at + 1).some((later) => later.now === merge.now)) return false;
    if (!this.#namesAreFree(merge)) return false;
    this.#merges.splice(at, 1);
    this.#takeBack(merge);
    return true;
  }

  delete(selector: Selector): boolean {
    const user = this.select(selector);
    if (!user) return false;
    for (const name of user.names) this.#names.delete(name);
    this.users.delete(user);
    this.#forbidUndo(user);
    return true;
  }

  /** `POST /users/external_ids/rename`: the old id goes on resolving. */
  rename(current: string, next: string): boolean {
    const user = this.#names.get(nameOf({ by: "externalId", id: current }));
    if (!user || user.externalId !== current || current === next || this.#names.has(nameOf({ by: "externalId", id: next }))) return false;
    user.deprecated.push(current);
    user.externalId = next;
    user.names.add(nameOf({ by: "externalId", id: next }));
    this.#names.set(nameOf({ by: "externalId", id: next }), user);
    this.#touch(user);
    this.#forbidUndo(user);
    return true;
  }

  /** `POST /users/external_ids/remove`: only a deprecated id. */
  remove(id: string): boolean {
    const user = this.#names.get(nameOf({ by: "externalId", id }));
    if (!user || user.externalId === id) return false;
    user.deprecated.splice(user.deprecated.indexOf(id), 1);
    user.names.delete(nameOf({ by: "externalId", id }));
    this.#names.delete(nameOf({ by: "externalId", id }));
    this.#touch(user);
    this.#forbidUndo(user);
    return true;
  }

  /** Every user a name means; an address may mean several. */
  matching(key: Key): ModelUser[] {
    if (key.by === "email" || key.by === "phone") return [...this.users].filter((user) => addressOf(user, key.by) === key.id);
    // A platform id is named by the external id of its user; it addresses that user and never a side of a merge
    const user = this.#names.get(nameOf(key.by === "platformId" ? { by: "externalId", id: key.id } : key));
    return user ? [user] : [];
  }

  /** The one user a selector leaves, if it leaves one. */
  select(selector: Selector): ModelUser | undefined {
    let left = this.matching(selector.key);
    for (const rule of selector.prioritization) {
      if (rule === "identified" || rule === "unidentified") {
        const favoured = left.filter((user) => (user.externalId !== null) === (rule === "identified"));
        if (favoured.length > 0) left = favoured;
      } else {
        const sorted = left.toSorted((a, b) => rule === "most_recently_updated" ? b.turn - a.turn : a.turn - b.turn);
        left = sorted.slice(0, 1);
      }
    }
    return left.length === 1 ? left[0] : undefined;
  }

  #trackOne(object: TrackObject): void {
    const found = this.#lookUp(object.user);
    const updateOnly = object.user.by === "alias"
      ? object.kind !== "attribute" || object.updateOnly !== false
      : object.updateOnly === true || object.user.by === "platformId";
    if (!found && updateOnly) return;
    const user = found ?? this.#create(object.user);
    this.#touch(user);
    this.#apply(user, object);
    this.#journal(user, object.user, (side) => this.#apply(side, object));
  }

  #apply(user: ModelUser, object: TrackObject): void {
    if (object.kind === "attribute") {
      if (object.email !== undefined && object.user.by !== "email") user.email = object.email;
      if (object.phone !== undefined && object.user.by !== "phone") user.phone = object.phone;
      applyAttributes(user, object);
    } else if (object.kind === "event") applyEvent(user, object);
    else applyPurchase(user, object);
  }

  /** Rule 4: with an email, the newest-updated user with an external id, else the newest-updated. */
  #lookUp(key: Key): ModelUser | undefined {
    const matching = this.matching(key);
    const identified = matching.filter((user) => user.externalId !== null);
    return (identified.length > 0 ? identified : matching).toSorted((a, b) => b.turn - a.turn)[0];
  }

  #mergeInto(source: ModelUser, target: ModelUser, id: string): void {
    const before = { source: copyUser(source), target: copyUser(target) };
    for (const name of source.names) this.#names.delete(name);
    takeIn(target, source);
    for (const name of target.names) this.#names.set(name, target);
    this.users.delete(source);
    this.#touch(target);
    const olderJournals = new Map(this.#merges.map((merge) => [merge, merge.journal.length]));
    this.#merges.push({ id, ...before, sourceWas: source, now: target, journal: [], reused: new Set(), olderJournals, undoable: true });
  }

  /** No name that the source would have today was given to another user since, be it to the target's own side. */
  #namesAreFree(merge: OpenMerge): boolean {
    const sides = { source: copyUser(merge.source), target: copyUser(merge.target) };
    for (const entry of merge.journal) entry.run(sideOf(sides, entry.key));
    return [...sides.source.names].every((name) => {
      const holder = this.#names.get(name) ?? merge.now;
      return holder === merge.now && !sides.target.names.has(name) && !merge.reused.has(name);
    });
  }

  #takeBack(merge: OpenMerge): void {
    this.users.delete(merge.now);
    for (const name of merge.now.names) this.#names.delete(name);
    this.users.add(merge.source).add(merge.target);
    for (const older of this.#merges) {
      if (older.now === merge.now) {
        older.journal.length = merge.olderJournals.get(older) ?? older.journal.length;
        older.now = merge.target;
      } else if (older.now === merge.sourceWas) older.now = merge.source;
    }
    for (const entry of merge.journal) {
      const side = sideOf(merge, entry.key);
      side.turn = entry.turn;
      entry.run(side);
      this.#journal(side, entry.key, entry.run);
    }
    for (const user of [merge.source, merge.target]) for (const name of user.names) this.#names.set(name, user);
  }

  #journal(user: ModelUser, key: Key, run: (side: ModelUser) => void): void {
    for (const merge of this.#merges) if (merge.now === user) merge.journal.push({ key, run, turn: user.turn });
  }

  #forbidUndo(user: ModelUser): void {
    for (const merge of this.#merges) if (merge.now === user) merge.undoable = false;
  }

  #create(key?: Key): ModelUser {
    const user = newUser();
    this.users.add(user);
    this.#touch(user);
    if (key?.by === "email") user.email = key.id;
    else if (key?.by === "phone") user.phone = key.id;
    else if (key) this.#name(user, key);
    return user;
  }

  #name(user: ModelUser, key: Key): void {
    giveName(user, key);
    this.#names.set(nameOf(key), user);
    for (const merge of this.#merges) if (merge.now !== user) merge.reused.add(nameOf(key));
  }

  #touch(user: ModelUser): void {
    user.turn = ++this.#turn;
  }
}

/** What was sent since a merge belongs to the source where it was addressed by a name that was the source's alone. */
function sideOf({ source, target }: { source: ModelUser; target: ModelUser }, key: Key): ModelUser {
  if (key.by === "email" || key.by === "phone") {
    return addressOf(source, key.by) === key.id && addressOf(target, key.by) !== key.id ? source : target;
  }
  return source.names.has(nameOf(key)) ? source : target;
}

/** A user has one name of each label, and one external id that is not deprecated. */
function giveName(user: ModelUser, key: Key): void {
  if (key.by === "externalId") user.externalId = key.id;
  if (key.by === "alias") {
    const old = user.aliases.get(key.label);
    if (old !== undefined) user.names.delete(nameOf({ by: "alias", label: key.label, name: old }));
    user.aliases.set(key.label, key.name);
  }
  user.names.add(nameOf(key));
}

interface OpenMerge {
  readonly id: string;
  /** Both sides as they were. */
  readonly source: ModelUser;
  readonly target: ModelUser;
  /** The source that went into the target. */
  readonly sourceWas: ModelUser;
  /** The user that both are now. */
  now: ModelUser;
  readonly journal: { readonly key: Key; readonly run: (side: ModelUser) => void; readonly turn: number }[];
  /** Names given to other users since. */
  readonly reused: Set<string>;
  /** How long the journals of the merges before were. */
  readonly olderJournals: ReadonlyMap<OpenMerge, number>;
  undoable: boolean;
}
