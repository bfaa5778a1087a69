/** The reference model of consent: plain maps, one thread, no log. Slow and obvious on purpose. */

export type State = "subscribed" | "unsubscribed";
export type Status = "opted_in" | "subscribed" | "unsubscribed";
export type EmailMark = "blocklisted" | "hard_bounced" | "spam" | "bounce_removed" | "spam_removed";
type Groups = Map<string, State>;

type Kind = "email" | "phone";

interface User {
  email: string | undefined;
  phone: string | undefined;
  groups: Groups;
  /** A status that was set while there was no email. */
  held?: Status | undefined;
}

/** What a change was addressed to. */
interface Address {
  readonly kind: Kind;
  readonly value: string;
}

/** Both sides as they would be without the merge. */
interface Merge {
  readonly sourceId: string;
  readonly targetId: string;
  /** As it is now: another one that comes under its name after it was deleted is not meant. */
  target: User;
  readonly source: User;
  readonly before: User;
}

export class ConsentModel {
  readonly statuses = new Map<string, Status>();
  readonly rejected = new Set<string>();
  readonly spam = new Set<string>();
  readonly invalid = new Map<string, "provider_error" | "deactivated">();
  readonly #users = new Map<string, User>();
  /** By `id:`, `email:` or `phone:` and the name. */
  readonly #pending = new Map<string, Groups>();
  /** Newest last; while it is open, changes go to its sides too. */
  readonly #merges: Merge[] = [];

  state(id: string, group: string): State | undefined {
    return this.#users.get(id)?.groups.get(group);
  }

  setById(id: string, group: string, state: State): void {
    if (this.#users.has(id)) this.#set(id, { group, state });
    else this.#wait(`id:${id}`, group, state);
  }

  setByAddress(address: Address, group: string, state: State): void {
    const holders = [...this.#users].filter(([, user]) => user[address.kind] === address.value);
    for (const [id] of holders) this.#set(id, { group, state, address });
    if (holders.length === 0) this.#wait(`${address.kind}:${address.value}`, group, state);
  }

  /** The user and all who share its email. */
  setShared(id: string, group: string, state: State): void {
    const email = this.#users.get(id)?.email;
    this.#set(id, { group, state });
    // The other side of an open merge would be one of them without it
    for (const { source, before } of this.#mergesOf(id)) {
      if (source.email === undefined || source.email !== before.email) continue;
      this.#setIn(source, { group, state, address: { kind: "email", value: source.email } });
    }
    for (const [other, user] of this.#users) {
      if (other === id || email === undefined || user.email !== email) continue;
      this.#set(other, { group, state, address: { kind: "email", value: email } });
    }
  }

  /** undefined: the address stays; null: it goes. */
  attach(id: string, kind: Kind, value: string | null | undefined): void {
    const user = this.#users.get(id) ?? this.#create(id);
    if (value === undefined) return;
    const joins = user[kind] !== (value ?? undefined);
    // The target was addressed, so it is what changes without the merge too
    for (const row of [user, ...this.#mergesOf(id).toReversed().map(({ before }) => before)]) {
      row[kind] = value ?? undefined;
      if (kind === "email") this.#releaseStatus(row);
    }
    if (joins && value !== null) this.#carry(id, `${kind}:${value}`);
  }

  /** The status is that of the email which comes with it, or which is there; without one it waits. */
  setOwnStatus(id: string, status: Status, email: string | null | undefined): void {
    const user = this.#users.get(id) ?? this.#create(id);
    const rows = [user, ...this.#mergesOf(id).map(({ before }) => before)];
    for (const row of rows) row.held = status;
    const own = email === undefined ? user.email : email ?? undefined;
    if (own !== undefined) this.statuses.set(own, status);
    this.attach(id, "email", email);
    for (const row of rows) this.#releaseStatus(row);
  }

  mark(email: string, mark: EmailMark): void {
    switch (mark) {
      case "blocklisted":
        this.statuses.set(email, "unsubscribed");
        return void this.rejected.add(email);
      case "hard_bounced":
        return void this.rejected.add(email);
      case "bounce_removed":
        return void this.rejected.delete(email);
      case "spam":
        return void this.spam.add(email);
      case "spam_removed":
        return void this.spam.delete(email);
    }
  }

  markPhone(number: string, mark: "provider_error" | "deactivated" | "removed"): void {
    if (mark === "removed") this.invalid.delete(number);
    else this.invalid.set(number, mark);
  }

  delete(id: string): void {
    this.#users.delete(id);
  }

  /** True where there was a merge. */
  merge(sourceId: string, targetId: string): boolean {
    const [source, target] = [this.#users.get(sourceId), this.#users.get(targetId)];
    if (source === undefined || target === undefined || sourceId === targetId) return false;
    this.#merges.push({ sourceId, targetId, target, source, before: { ...target, groups: new Map(target.groups) } });
    for (const [group, state] of source.groups) {
      if (state === "unsubscribed" || !target.groups.has(group)) target.groups.set(group, state);
    }
    this.#mergeStatus(target, source);
    target.email ??= source.email;
    target.phone ??= source.phone;
    this.#users.delete(sourceId);
    return true;
  }

  takeMerge(): Merge | undefined {
    return this.#merges.pop();
  }

  undo(merge: Merge | undefined): void {
    if (merge === undefined) return;
    for (const older of this.#mergesOf(merge.targetId)) older.target = merge.before;
    this.#users.set(merge.targetId, merge.before);
    this.#users.set(merge.sourceId, merge.source);
    this.#carry(merge.targetId, `id:${merge.targetId}`);
    for (const id of [merge.targetId, merge.sourceId]) {
      for (const kind of ["email", "phone"] as const) this.#carry(id, `${kind}:${this.#users.get(id)?.[kind]}`);
    }
    this.#carry(merge.sourceId, `id:${merge.sourceId}`);
  }

  /** A merge may bring a waiting unsubscribe to an address; never a subscribe, which no request asked for that address. */
  #mergeStatus(target: User, source: User): void {
    const email = target.email ?? source.email;
    const isUnsubscribed = [target, source].some(({ held }) => held === "unsubscribed");
    if (email !== undefined && isUnsubscribed) this.statuses.set(email, "unsubscribed");
    if (email !== undefined) target.held = undefined;
    else target.held = isUnsubscribed ? "unsubscribed" : target.held ?? source.held;
  }

  /** What waited goes to the first email that comes: an unsubscribe counts, anything else only where nothing is known. */
  #releaseStatus(row: User): void {
    const { email, held } = row;
    if (email === undefined || held === undefined) return;
    row.held = undefined;
    if (held === "unsubscribed" || !this.statuses.has(email)) this.statuses.set(email, held);
  }

  #create(id: string): User {
    const user: User = { email: undefined, phone: undefined, groups: new Map() };
    this.#users.set(id, user);
    this.#carry(id, `id:${id}`);
    return user;
  }

  #wait(name: string, group: string, state: State): void {
    const groups = this.#pending.get(name) ?? new Map<string, State>();
    this.#pending.set(name, groups.set(group, state));
  }

  #carry(id: string, name: string): void {
    const user = this.#users.get(id);
    const groups = this.#pending.get(name);
    if (user === undefined || groups === undefined) return;
    this.#pending.delete(name);
    for (const [group, state] of groups) this.#set(id, { group, state, carried: true });
  }

  #mergesOf(id: string): Merge[] {
    const user = this.#users.get(id);
    return user === undefined ? [] : this.#mergesInto(user);
  }

  #mergesInto(user: User): Merge[] {
    return this.#merges.filter(({ target }) => target === user);
  }

  #set(id: string, change: { group: string; state: State; address?: Address; carried?: boolean }): void {
    const user = this.#users.get(id);
    if (user !== undefined) this.#setIn(user, change);
  }

  #setIn(user: User, change: { group: string; state: State; address?: Address; carried?: boolean }): void {
    put(user.groups, change);
    const { kind, value } = change.address ?? {};
    for (const { source, before } of this.#mergesInto(user).toReversed()) {
      if (kind !== undefined && source[kind] === value) {
        this.#setIn(source, change);
        // An address that the target has from the source alone means the source
        if (before[kind] !== value) return;
      }
      put(before.groups, change);
    }
  }
}

function put(groups: Groups, { group, state, carried }: { group: string; state: State; carried?: boolean }): void {
  if (carried && state === "subscribed" && groups.has(group)) return;
  groups.set(group, state);
}
