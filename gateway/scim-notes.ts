/** What came of SCIM requests, for the companies' logs: collected for a moment and told in one call, behind the answers. */
import type { Client } from "@connectrpc/connect";
import type { Clock } from "../platform/clock.ts";
import { limits } from "../platform/limits.ts";
import type { Logger } from "../platform/logger.ts";
import type { ScimService } from "../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { ScimScope } from "./scim-route.ts";

export interface ScimNote {
  readonly scope: ScimScope;
  readonly status: number;
  /** Of a refusal. */
  readonly reason?: string;
  readonly detail?: string;
}

export interface ScimNotes {
  /** Never waits and never fails: a lost note costs a line of the log and nothing else. */
  add(note: ScimNote): void;
  /** Tells what waits. */
  close(): Promise<void>;
}

export function openScimNotes(
  { scim, clock, logger }: { readonly scim: Client<typeof ScimService>; readonly clock: Clock; readonly logger: Logger },
): ScimNotes {
  let waiting: ScimNote[] = [];
  let telling: Promise<void> = Promise.resolve();
  let cancel: (() => void) | undefined;

  function tell(): void {
    cancel?.();
    cancel = undefined;
    const requests = waiting;
    waiting = [];
    telling = telling.then(async () => void await scim.logRequests({ requests })).catch((error: unknown) => {
      logger.error("scim_requests_not_logged", error, { requests: requests.length });
    });
  }

  return {
    add(note) {
      waiting.push(note);
      if (waiting.length >= limits.scimNotesPerCallMax) tell();
      else cancel ??= clock.after(limits.scimNotesMs, tell);
    },
    async close() {
      if (waiting.length > 0) tell();
      await telling;
    },
  };
}
