/** The limit on the aliases of one user: together they stay small enough for its row and for one message. */
import { limits } from "../../../../platform/limits.ts";
import { fitsBytes } from "../values/check-json.ts";
import type { Alias } from "../record/user-key.ts";

/** Why a user may not have these aliases; undefined where it may. */
export function aliasRefusal(aliases: readonly Alias[]): string | undefined {
  if (fitsBytes(aliases, limits.aliasBytesPerUserMax)) return undefined;
  return `The aliases of one user may take at most ${limits.aliasBytesPerUserMax} bytes of JSON together: ` +
    "use fewer or shorter ones, POST /users/alias/update gives shorter names";
}
