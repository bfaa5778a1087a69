/** The reference model of consent: plain maps, one thread, no log. Slow and obvious on purpose. */

export type State = "subscribed" | "unsubscribed";
type Groups = Map<string, State>;

type Kind = "email" | "phone";

interface User {
  email: string | undefined;
  phone: string | undefined;
  groups: Groups;
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
  readonly source: User;
  readonly before: User;
}

export class ConsentModel {
  readonly statuses = new Map<string, "opted_in" | "subscribed" | "unsubscribed">();
  readonly rejected = new Set<string>();
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
    for (const [other, user] of this.#users) {
      if (other === id || email === undefined || user.email !== email) continue;
      this.#set(other, { group, state, address: { kind: "email", value: email } });
    }
  }

  /** undefined: the address stays; null: it goes. */
  attach(id: string, kind: Kind, value: string | null | undefined): void {
    const user = this.#users.get(id) ?? this.#create(id);
    if (value === undefined || user[kind] === (value ?? undefined)) return;
    user[kind] = value ?? undefined;
    // The target was addressed, so it is what changes without the merge too
    for (const merge of this.#mergesOf(id)) merge.before[kind] = user[kind];
    if (value !== null) this.#carry(id, `${kind}:${value}`);
  }

  blocklist(email: string): void {
    this.statuses.set(email, "unsubscribed");
    this.rejected.add(email);
  }

  delete(id: string): void {
    this.#users.delete(id);
  }

  /** True where there was a merge. */
  merge(sourceId: string, targetId: string): boolean {
    const [source, target] = [this.#users.get(sourceId), this.#users.get(targetId)];
    if (source === undefined || target === undefined || sourceId === targetId) return false;
    this.#merges.push({ sourceId, targetId, source, before: { ...target, groups: new Map(target.groups) } });
    for (const [group, state] of source.groups) {
      if (state === "unsubscribed" || !target.groups.has(group)) target.groups.set(group, state);
    }
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
    this.#users.set(merge.targetId, merge.before);
    this.#users.set(merge.sourceId, merge.source);
    this.#carry(merge.targetId, `id:${merge.targetId}`);
    for (const id of [merge.targetId, merge.sourceId]) {
      for (const kind of ["email", "phone"] as const) this.#carry(id, `${kind}:${this.#users.get(id)?.[kind]}`);
    }
    this.#carry(merge.sourceId, `id:${merge.sourceId}`);
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
    return this.#merges.filter(({ targetId }) => targetId === id);
  }

  #set(id: string, change: { group: string; state: State; address?: Address; carried?: boolean }): void {
    const user = this.#users.get(id);
    if (user === undefined) return;
    put(user.groups, change);
    for (const { source, before } of this.#mergesOf(id).toReversed()) {
      // An address that the target has from the source alone means the source
      const { kind, value } = change.address ?? {};
      if (kind !== undefined && source[kind] === value && before[kind] !== value) {
        put(source.groups, change);
        return;
      }
      put(before.groups, change);
    }
  }
}

function put(groups: Groups, { group, state, carried }: { group: string; state: State; carried?: boolean }): void {
  if (carried && state === "subscribed" && groups.has(group)) return;
  groups.set(group, state);
}
