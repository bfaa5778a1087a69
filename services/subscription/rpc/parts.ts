/** What the handlers need. */
import type { OperatorParts } from "../../consent/rpc/operator.ts";
import type { Client } from "@connectrpc/connect";
import type { IntakeParts } from "../../../platform/intake/intake.ts";
import type { ProfileService } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { GroupChange } from "../domain/group-order.ts";
import type { ReadParts } from "../domain/ports.ts";
import type { Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";

export interface ServiceParts extends ReadParts, OperatorParts {
  readonly profile: Pick<Client<typeof ProfileService>, "resolveUsers">;
  readonly intake: IntakeParts;
  /** Resolves when every process sees what the change made of the groups. Refuses as `changedGroups` does. */
  readonly changeGroups: (scope: Scope, change: GroupChange) => Promise<void>;
  /** An id that was never given before. */
  readonly newGroupId: () => string;
}
