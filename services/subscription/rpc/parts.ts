/** What the handlers need. */
import type { Client } from "@connectrpc/connect";
import type { IntakeParts } from "../../../platform/intake/intake.ts";
import type { LaneRecord, SetAside } from "../../../platform/lane/lane.ts";
import type { Ledger } from "../../../platform/ledger/read.ts";
import type { LaneWork } from "../../../platform/telemetry/work-metrics.ts";
import type { ProfileService } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { GroupChange } from "../domain/group-order.ts";
import type { ReadParts } from "../domain/ports.ts";
import type { Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";

export interface ServiceParts extends ReadParts {
  readonly profile: Pick<Client<typeof ProfileService>, "resolveUsers">;
  readonly intake: IntakeParts;
  /** Resolves when every process sees what the change made of the groups. Refuses as `changedGroups` does. */
  readonly changeGroups: (scope: Scope, change: GroupChange) => Promise<void>;
  /** An id that was never given before. */
  readonly newGroupId: () => string;
  readonly ledger: Pick<Ledger, "history" | "verify" | "subjects">;
  readonly work: LaneWork;
  readonly setAside: {
    /** Records that wait for a human, at most `max`. */
    listSetAside(max: number): Promise<SetAside[]>;
    /** Tries those that can be read now once more; how many. */
    redriveSetAside(): Promise<number>;
    /** Forgets the record that holds its user or address back, and tries those behind it once more. */
    skipSetAside(at: Pick<LaneRecord, "workspaceId" | "sequence" | "part">): Promise<void>;
  };
}
