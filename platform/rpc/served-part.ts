/** A part of the mesh: what each one gets, and what it is while it serves. */
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import type { Readiness } from "../telemetry/metrics-server.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Tenants } from "./tenants.ts";

export interface ServedPart {
  /** Where its RPCs are served. */
  readonly url: string;
  /** What /readyz of its metrics port says: whether accepted data can be applied and read; names what fails. */
  health(): Readiness;
  /** Refuses new calls, finishes those under way, gives its work to the other processes. */
  close(): Promise<void>;
}

export interface PartEnds {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  /** Which workspaces and companies there are; the gateway, which serves no RPCs, needs none. */
  readonly tenants?: Tenants;
}
