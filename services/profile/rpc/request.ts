/** What the RPCs need, and what their messages hold of reads and groups. */

import { positionFromToken } from "../../../platform/intake/position.ts";
import { type Scoped, scopeOf } from "../../../platform/request-context.ts";
import type { WorkSource } from "../../../platform/telemetry/work-metrics.ts";
import type { KnownGroups, Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ReadRequest } from "../domain/read/catch-up.ts";
import type { EmailStatuses } from "../domain/read/email-statuses.ts";
import type { LastChanged } from "../domain/ports.ts";
import type { PreviewPorts } from "../domain/merge/preview-merge.ts";
import type { RejectedUsers } from "../domain/profile/rejection.ts";
import type { SearchPorts } from "../domain/read/search-users.ts";
import type { Json } from "../domain/record/track-object.ts";
import type { WriteDeps } from "../intake/submit.ts";

export type ServiceDeps = WriteDeps & PreviewPorts & SearchPorts & {
  readonly emailStatuses: EmailStatuses;
  readonly lastChanged: LastChanged;
  readonly rejected: RejectedUsers;
  readonly work: WorkSource;
  /** An id that was never given before and cannot be guessed: for requests whose outcome is looked up later. */
  readonly newJobId: () => string;
};

/** The subscription groups of the workspace, where the caller has asked for them. */
export function groupsOf({ groups }: { readonly groups?: KnownGroups | undefined }): ReadonlySet<string> | undefined {
  return groups && new Set(groups.ids);
}

export function readOf(message: Scoped<Scope>): ReadRequest {
  const { workspaceId, requestId, readAfter, traceparent } = scopeOf(message);
  return { workspaceId, requestId, readAfter: positionFromToken(readAfter), ...(traceparent !== "" && { traceparent }) };
}

const encoder = new TextEncoder();

export function toJsonBytes(value: Json): Uint8Array<ArrayBuffer> {
  return encoder.encode(JSON.stringify(value));
}
