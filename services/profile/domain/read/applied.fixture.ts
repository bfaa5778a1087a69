/** How far a log is applied, for tests of those who ask. */
import type { Applied } from "../ports.ts";

/** All of it, but for what a test says otherwise. */
export function allApplied(otherwise: Partial<Applied> = {}): Applied {
  return {
    wait: () => Promise.resolve(true),
    through: () => 0,
    waitDecided: (_position, ms) => Promise.resolve(ms),
    decidedThrough: () => 0,
    waitUsers: (_position, _users, ms) => Promise.resolve(ms),
    outcome: () => undefined,
    ...otherwise,
  };
}
