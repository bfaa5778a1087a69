/** What the console asks of the gateway itself: counts and limits of a workspace, its keys, sessions of browsers, what people did. */
import type { Clock } from "../../platform/clock.ts";
import type { Finding } from "../../platform/finding.ts";
import { limits } from "../../platform/limits.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Access, ApiKey, KeyHolder } from "../access/access.ts";
import type { Action } from "../access/admin/actions.ts";
import type { Change } from "../access/declare/declare-plan.ts";
import { differencesOf } from "../access/declare/declared-differences.ts";
import type { AccessAdmin } from "../access/admin/admin.ts";
import type { RunningProcess } from "../access/admin/processes.ts";
import type { KeyRow } from "../access/rows.ts";
import type { RequestSlot } from "../access/admin/request-counts.ts";
import { createKey, keyById, type NewKey, revokeKey, rotateKey } from "../access/keys/keys.ts";
import { endSessions, type OpenedSession, openSession } from "../access/keys/sessions.ts";
import { type Caller, isStillGood } from "../guards/authenticate.ts";
import { fillOf, type LimitFill } from "../guards/limit-fill.ts";
import { refuseWhilePaused } from "../guards/write-pause.ts";
import type { Spending } from "../guards/spend.ts";
import type { HttpAnswer } from "../http/http-message.ts";
import { reasonOf } from "../render/refusal-rest.ts";
import type { Activity, WorkspaceActivity } from "./activity.ts";
import type { LiveFilter } from "./live/filter.ts";
import type { Live } from "./live/live.ts";
import type { LiveRequest } from "./live/seen.ts";

/** The port through which the routes of the console reach the gateway. Everything is of the holder's own workspace. */
export interface Console {
  activity(holder: KeyHolder): WorkspaceActivity;
  live: ConsoleLive;
  limits(holder: KeyHolder): Promise<readonly LimitFill[]>;
  openSession(holder: KeyHolder, secret: string): Promise<OpenedSession>;
  /** Of the holder's key, in every browser. */
  endSessions(holder: KeyHolder): Promise<void>;
  keys: ConsoleKeys;
  /** What a person did by a session: in the log always, and in the list unless the store is away or writes are paused. Never throws. */
  noteAction(holder: KeyHolder, done: Done): Promise<void>;
  actions(holder: KeyHolder): Promise<readonly Action[]>;
  /** In what the workspace differs from what was declared last; undefined: nothing was since this is noted. Refuses as differencesOf(). */
  declaration(holder: KeyHolder): Promise<{ readonly at: number; readonly differences?: readonly Change[] } | undefined>;
  /** A key was sent, or a session of it; costs the request nothing. */
  noteUse(holder: KeyHolder): void;
  /** As access/request-counts.ts. */
  requests(holder: KeyHolder, by: "minute" | "hour", from: number): Promise<readonly RequestSlot[]>;
  /** Names of subscription groups, by their ids. */
  groups(holder: KeyHolder): ReadonlyMap<string, string>;
  /** Of the whole installation, for operators. Refuses STORE_UNAVAILABLE. */
  processes(): Promise<readonly RunningProcess[]>;
  /** What this process finds of itself and its servers; asked again within `consoleExamineKeepMs` it is what was found then. */
  examined(): Promise<Examined>;
  now(): number;
}

interface Examined {
  /** Unix milliseconds. */
  readonly at: number;
  readonly findings: readonly Finding[];
}

/** The live view of the caller's workspace. Refuses as console/live/live.ts does. */
interface ConsoleLive {
  /** `personal`: the caller may see bodies. */
  view(
    caller: Caller,
    asked: { readonly filter: LiveFilter; readonly personal: boolean; readonly lastId: string | undefined },
  ): NonNullable<HttpAnswer["stream"]>;
  recent(holder: KeyHolder, filter: LiveFilter): readonly LiveRequest[];
}

/** Changes refuse NOT_FOUND for a key of another workspace, and as access/keys.ts does. */
interface ConsoleKeys {
  list(holder: KeyHolder): readonly ApiKey[];
  /** As access/key-uses.ts. */
  uses(): Promise<ReadonlyMap<string, number>>;
  create(holder: KeyHolder, wanted: Pick<ApiKey, "name" | "permissions" | "ipAllow">): Promise<NewKey>;
  rotate(holder: KeyHolder, id: string, overlapMs: number): Promise<NewKey>;
  revoke(holder: KeyHolder, id: string): Promise<ApiKey>;
}

interface Done {
  readonly requestId: string;
  readonly route: { readonly method: string; readonly path: string };
  readonly answer: HttpAnswer;
}

type ConsoleDeps = Spending & {
  readonly activity: Activity;
  readonly live: Live;
  readonly access: Access & AccessAdmin;
  readonly processes: () => Promise<readonly RunningProcess[]>;
  readonly examine: () => Promise<readonly Finding[]>;
  readonly clock: Clock;
  readonly logger: Logger;
};

export function openConsole(deps: ConsoleDeps): Console {
  const { access, clock } = deps;
  return {
    activity: ({ workspace }) => deps.activity.of(workspace.id),
    live: {
      view: (caller, { filter, personal, lastId }) =>
        deps.live.view(caller.holder.workspace.id, { filter, personal, isStillGood: () => isStillGood(caller, access) }, lastId),
      recent: ({ workspace }, filter) => deps.live.recent(workspace.id, filter),
    },
    limits: (holder) => fillOf(holder, deps),
    async openSession({ key }, secret) {
      // The first one of a key is a write
      if (keyById(access.rows(), key.id).sessionRoot === undefined) refuseWhilePaused(access);
      return await openSession(access, { id: key.id, secret });
    },
    endSessions: ({ key }) => endSessions(access, key.id),
    keys: keysOf(access),
    noteAction: (holder, done) => noteAction(deps, holder, done),
    declaration: ({ workspace }) => differences(access, { workspaceId: workspace.id, now: clock.now() }),
    noteUse: ({ key }) => access.uses.note(key.id),
    requests: ({ workspace }, by, from) => access.requests.list(workspace.id, by, from),
    actions: ({ workspace }) => access.actions.list(workspace.id),
    groups: ({ workspace }) =>
      new Map(access.declared(workspace.id, "subscription_group").map(({ id, content }) => [id, content["name"] ?? id])),
    processes: deps.processes,
    examined: examinedBy(deps),
    now: () => clock.now(),
  };
}

/** It opens connections and files of its own: however many look, one at a time. */
function examinedBy({ examine, clock }: Pick<ConsoleDeps, "examine" | "clock">): () => Promise<Examined> {
  let last: { readonly until: number; readonly examined: Promise<Examined> } | undefined;
  return () => {
    if (last === undefined || clock.monotonic() >= last.until) {
      const at = clock.now();
      last = { until: clock.monotonic() + limits.consoleExamineKeepMs, examined: examine().then((findings) => ({ at, findings })) };
    }
    return last.examined;
  };
}

async function differences({ lastDeclaration, rows }: AccessAdmin, of: { readonly workspaceId: string; readonly now: number }) {
  const last = await lastDeclaration.find();
  if (last?.declaration === undefined) return last;
  return { at: last.at, differences: differencesOf(last.declaration, rows(), of) };
}

function keysOf(access: Access & AccessAdmin): ConsoleKeys {
  function list({ workspace }: KeyHolder): readonly KeyRow[] {
    return access.rows().keys.filter((key) => key.workspaceId === workspace.id);
  }
  /** Does not reveal whether another workspace has it. */
  function own(holder: KeyHolder, id: string): string {
    return keyById({ keys: list(holder) }, id).id;
  }
  return {
    uses: () => access.uses.list(),
    list,
    create: ({ workspace }, wanted) => createKey(access, { ...wanted, workspaceId: workspace.id }),
    rotate: (holder, id, overlapMs) => rotateKey(access, own(holder, id), overlapMs),
    revoke: (holder, id) => revokeKey(access, own(holder, id)),
  };
}

async function noteAction(
  { access, clock, logger }: Pick<ConsoleDeps, "access" | "clock" | "logger">,
  { key, workspace }: KeyHolder,
  { requestId, route, answer }: Done,
): Promise<void> {
  const done = { requestId, method: route.method, route: route.path, status: answer.status, reason: reasonOf(answer) };
  logger.info("console_action", { keyId: key.id, workspaceId: workspace.id, ...done });
  // The list is among what is backed up
  if (access.writesPaused()) return;
  try {
    await access.actions.note(workspace.id, { at: clock.now(), keyId: key.id, keyName: key.name, ...done });
  } catch (error) {
    logger.warn("console_action_not_listed", { requestId, cause: String(error) });
  }
}
