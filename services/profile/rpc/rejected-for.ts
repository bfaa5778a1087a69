/** The users whose objects a request does not take. */
import { keyHashOf } from "../../../platform/intake/idempotency.ts";
import type { RepeatRow } from "../domain/identity.ts";
import type { IdentityStore } from "../domain/ports.ts";
import type { RejectedUsers } from "../domain/rejection.ts";
import type { WriteParts } from "../intake/submit.ts";
import type { Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { rowKey } from "./first-answer.ts";

export interface RejectingParts extends WriteParts {
  readonly rejected: RejectedUsers;
  readonly identities: IdentityStore;
}

/** None for a request that was answered before: it does nothing again, and has the answer of the first, though its users may be rejected by now. */
export async function rejectedFor({ rejected, identities, clock }: RejectingParts, scope: Scope): Promise<ReadonlySet<string> | undefined> {
  const { workspaceId, idempotencyKey } = scope;
  const names = rejected.namesIn(workspaceId);
  if (names === undefined || idempotencyKey === "") return names;
  const key = rowKey(keyHashOf(scope));
  const first = (await identities.load(workspaceId, [key])).get(key) as RepeatRow | undefined;
  return first !== undefined && clock.now() < first.expiresAt ? undefined : names;
}
