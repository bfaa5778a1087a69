/** Use case: a user with the request that set each field, for people who look (the console). */
import { limits } from "../../../../platform/limits.ts";
import type { WaitingStatuses } from "./email-statuses.ts";
import { exportUsers } from "./export-users.ts";
import type { ReadDeps, ReadRequest } from "./catch-up.ts";
import type { MergeRow } from "../identity/identity.ts";
import type { FrozenMerge, RequestOrigin } from "../ports.ts";
import type { MergeNote, Profile, UndoneNote } from "../profile/profile.ts";
import type { UserKey } from "../record/user-key.ts";

export interface InspectedUsers {
  /** All who share an address, the user that data for the address goes to first. */
  readonly users: readonly InspectedUser[];
  /** See renderUsers(). */
  readonly waiting: WaitingStatuses;
  readonly behind: boolean;
}

interface InspectedUser {
  readonly profile: Profile;
  readonly blocked: boolean;
  readonly fields: readonly InspectedField[];
  /** `undo`: absent where the merge can no longer be taken back. */
  readonly merges: readonly (MergeNote & { readonly origin: Origin; readonly undo?: Undo; readonly sides?: FrozenMerge })[];
  readonly undone: readonly (UndoneNote & { readonly origin: Origin })[];
  readonly days: readonly ActiveDay[];
  /** What the profile had no room for, with the request that sent the last of it. */
  readonly dropped?: { readonly count: number; readonly origin: Origin };
}

interface ActiveDay {
  /** Days since 1970 UTC. */
  readonly day: number;
  readonly events: number;
  readonly purchases: number;
}

type Undo = Pick<MergeRow, "jobId" | "index" | "undoUntil" | "blocked">;

interface InspectedField {
  readonly name: string;
  readonly custom: boolean;
  /** Absent: the field is older than what is kept of sources. */
  readonly origin?: Origin;
}

/** Only the place where the request is too old to be known. */
export type Origin = Pick<RequestOrigin, "sequence"> & Partial<RequestOrigin>;

/** `sidesOf`: a merge whose copies are wanted too. */
export async function inspectUsers(
  deps: ReadDeps,
  request: ReadRequest & { readonly user: UserKey; readonly sidesOf?: string },
): Promise<InspectedUsers> {
  const { profiles, waiting, behind } = await exportUsers(deps, { ...request, users: [request.user] });
  const { workspaceId } = request;
  const origins = await loadOrigins(deps, workspaceId, [...new Set(profiles.flatMap(placesOf))]);
  const blocked = await deps.profiles.loadUsers(workspaceId, profiles.map(({ id }) => id));
  const undoable = await mergeRows(deps, workspaceId, profiles);
  const frozen = request.sidesOf ? await deps.profiles.loadFrozen(workspaceId, [request.sidesOf]) : new Map<string, never>();
  function originAt(sequence: number): Origin {
    return origins.get(sequence) ?? { sequence };
  }
  const users = profiles.map((profile) => ({
    profile,
    blocked: blocked.get(profile.id)?.blocked ?? false,
    fields: fieldsOf(profile, originAt),
    merges: profile.merges.map((note) => {
      const undo = undoable.get(note.mergeId);
      const sides = undo && frozen.get(note.mergeId);
      return { ...note, origin: originAt(note.sequence), ...(undo && { undo }), ...(sides && { sides }) };
    }),
    undone: (profile.undone ?? []).map((note) => ({ ...note, origin: originAt(note.sequence) })),
    days: daysOf(profile),
    ...(profile.dropped && { dropped: { count: profile.dropped.count, origin: originAt(profile.dropped.sequence) } }),
  }));
  return { users, waiting, behind };
}

/** Who asked is noted behind the step, and so may come later than what it did. */
async function loadOrigins(
  { intake, applied, profiles }: ReadDeps,
  workspaceId: string,
  places: readonly number[],
): Promise<ReadonlyMap<number, RequestOrigin>> {
  const { partition } = await intake.tail(workspaceId);
  const found = await profiles.loadOrigins(workspaceId, partition, places);
  const last = { partition, sequence: Math.max(0, ...places.filter((place) => !found.has(place))) };
  if (last.sequence <= applied.through(last)) return found;
  await applied.wait(last, limits.readWaitMs);
  return await profiles.loadOrigins(workspaceId, partition, places);
}

/** Of the merges that are still open: the resolver forgets the others. */
async function mergeRows(deps: ReadDeps, workspaceId: string, profiles: readonly Profile[]): Promise<ReadonlyMap<string, Undo>> {
  const keys = profiles.flatMap(({ merges }) => merges.map(({ mergeId }) => `m:${mergeId}` as const));
  if (keys.length === 0) return new Map();
  const rows = await deps.identities.load(workspaceId, keys);
  return new Map(keys.flatMap((key) => {
    const row = rows.get(key) as MergeRow | undefined;
    return row?.state === "open" ? [[row.mergeId, row]] : [];
  }));
}

/** Each summary counts the days before its own newest record, so the oldest days may lack some. */
function daysOf({ events, purchases }: Profile): ActiveDay[] {
  const days = new Map<number, ActiveDay>();
  for (const [what, summaries] of [["events", events], ["purchases", purchases]] as const) {
    for (const [day, times] of [...summaries.values()].flatMap((summary) => [...summary.days])) {
      const counted = days.get(day) ?? { day, events: 0, purchases: 0 };
      days.set(day, { ...counted, [what]: counted[what] + times });
    }
  }
  return [...days.values()].toSorted((a, b) => a.day - b.day);
}

function placesOf({ sources: { names, fields, custom }, merges, undone = [], dropped }: Profile): number[] {
  const noted = [...merges, ...undone, ...(dropped === undefined ? [] : [dropped])];
  return [...names.values(), ...fields.values(), ...custom.values(), ...noted.map(({ sequence }) => sequence)];
}

/** Every field that has a value: names, standard fields, custom attributes. */
function fieldsOf(profile: Profile, originAt: (sequence: number) => Origin): InspectedField[] {
  const { sources, fields, custom } = profile;
  function field(name: string, isCustom: boolean, sequence: number | undefined): InspectedField {
    return { name, custom: isCustom, ...(sequence !== undefined && { origin: originAt(sequence) }) };
  }
  const names = ([
    ["external_id", profile.externalId],
    ["user_aliases", profile.aliases.length === 0 ? null : profile.aliases],
    ["email", profile.email],
    ["phone", profile.phone],
  ] as const).filter(([, value]) => value !== null);
  return [
    ...names.map(([name]) => field(name, false, sources.names.get(name))),
    ...Array.from(fields.keys(), (name) => field(name, false, sources.fields.get(name))),
    ...Array.from(custom.keys(), (name) => field(name, true, sources.custom.get(name))),
  ];
}
