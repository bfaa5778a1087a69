/** What this gateway answered lately, workspace by workspace: counts by the second and by route, and the last refusals. */
import type { Clock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";

/** One answered request. Nothing here is personal data: `route` is the pattern. */
interface Answered {
  /** Unix milliseconds. */
  readonly at: number;
  readonly requestId: string;
  readonly traceId?: string;
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
  /** Why it was refused; empty for a success. */
  readonly reason: string;
}

export interface Activity {
  note(workspaceId: string, answered: Answered): void;
  of(workspaceId: string): WorkspaceActivity;
}

export interface WorkspaceActivity {
  /** The last `consoleSeconds` whole seconds, the oldest first. */
  readonly seconds: readonly SecondCount[];
  /** Since the workspace's first request, by route. */
  readonly routes: readonly RouteCount[];
  /** The newest first. */
  readonly errors: readonly Answered[];
}

interface SecondCount {
  /** Unix seconds. */
  readonly second: number;
  readonly requests: number;
  readonly refused: number;
}

interface RouteCount {
  readonly method: string;
  readonly route: string;
  readonly requests: number;
  readonly refused: number;
  /** Milliseconds, the mean over all requests. */
  readonly meanMs: number;
}

/** Keeps the `consoleWorkspacesMax` workspaces that asked last. */
export function createActivity(clock: Clock): Activity {
  const kept = new Map<string, Kept>();
  return {
    note(workspaceId, answered) {
      const own = kept.get(workspaceId) ?? begin(kept, workspaceId);
      note(own, answered);
    },
    of(workspaceId) {
      const own = kept.get(workspaceId);
      return own === undefined ? nothing(clock.now()) : view(own, clock.now());
    },
  };
}

interface Kept {
  /** Rings by Unix second modulo their length; `stamps` says which second a slot stands for. */
  readonly stamps: number[];
  readonly requests: number[];
  readonly refused: number[];
  readonly routes: Map<string, { method: string; route: string; requests: number; refused: number; ms: number }>;
  errors: Answered[];
}

function begin(kept: Map<string, Kept>, workspaceId: string): Kept {
  if (kept.size >= limits.consoleWorkspacesMax) {
    for (const oldest of kept.keys()) {
      kept.delete(oldest);
      break;
    }
  }
  const slots = Array.from({ length: limits.consoleSeconds + 1 }, () => 0);
  const own: Kept = { stamps: [...slots], requests: [...slots], refused: [...slots], routes: new Map(), errors: [] };
  kept.set(workspaceId, own);
  return own;
}

function note(own: Kept, answered: Answered): void {
  const { at, route, method, status, ms } = answered;
  const second = Math.floor(at / 1_000);
  const slot = second % own.stamps.length;
  const isRefused = status >= refusedFrom;
  if (own.stamps[slot] !== second) {
    own.stamps[slot] = second;
    own.requests[slot] = 0;
    own.refused[slot] = 0;
  }
  own.requests[slot] = (own.requests[slot] ?? 0) + 1;
  if (isRefused) own.refused[slot] = (own.refused[slot] ?? 0) + 1;
  const key = `${method} ${route}`;
  let counts = own.routes.get(key);
  if (counts === undefined) own.routes.set(key, counts = { method, route, requests: 0, refused: 0, ms: 0 });
  counts.requests += 1;
  counts.ms += ms;
  if (isRefused) {
    counts.refused += 1;
    own.errors.push(answered);
    if (own.errors.length > 2 * limits.consoleErrorsMax) own.errors = own.errors.slice(-limits.consoleErrorsMax);
  }
}

const refusedFrom = 400;

function view(own: Kept, now: number): WorkspaceActivity {
  const seconds = secondsUntil(now).map((second) => {
    const slot = second % own.stamps.length;
    const isKept = own.stamps[slot] === second;
    return { second, requests: isKept ? own.requests[slot] ?? 0 : 0, refused: isKept ? own.refused[slot] ?? 0 : 0 };
  });
  const routes = [...own.routes.values()].map(({ ms, ...counts }) => ({ ...counts, meanMs: ms / counts.requests }));
  return {
    seconds,
    routes: routes.toSorted((a, b) => b.requests - a.requests),
    errors: own.errors.slice(-limits.consoleErrorsMax).toReversed(),
  };
}

function nothing(now: number): WorkspaceActivity {
  return { seconds: secondsUntil(now).map((second) => ({ second, requests: 0, refused: 0 })), routes: [], errors: [] };
}

function secondsUntil(now: number): number[] {
  const last = Math.floor(now / 1_000) - 1;
  return Array.from({ length: limits.consoleSeconds }, (_, at) => last - limits.consoleSeconds + 1 + at);
}
