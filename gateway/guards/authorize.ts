/** Caller and permission to Permit. */
import { Refusal } from "../../platform/refusal.ts";
import { holds } from "../access/permissions.ts";
import type { Caller } from "./authenticate.ts";

/** Proof that the caller's key holds `permission`. */
export interface Permit {
  readonly proof: "permit";
  readonly caller: Caller;
  readonly permission: string;
}

/** Throws PERMISSION_MISSING, which names the permission. */
export function authorize(caller: Caller, permission: string): Permit {
  if (!holds(caller.holder.key.permissions, permission)) {
    throw new Refusal("PERMISSION_MISSING", `Access Denied: the API key does not have the permission '${permission}'`);
  }
  return { proof: "permit", caller, permission };
}
