/** What the handlers need. */
import type { OperatorParts } from "../../consent/rpc/operator.ts";
import type { Client } from "@connectrpc/connect";
import type { IntakeParts } from "../../../platform/intake/intake.ts";
import type { IsHeld } from "../../consent/lane/held.ts";
import type { ProfileService } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { AddressStore, Caught } from "../domain/ports.ts";
import type { UnsubscribeLinks } from "../links/unsubscribe-links.ts";

export interface ServiceParts extends OperatorParts {
  readonly store: AddressStore;
  readonly caught: Caught;
  /** Whether records of these addresses wait for a human: then what is read is older than what was answered. */
  readonly isHeld: IsHeld;
  readonly profile: Pick<Client<typeof ProfileService>, "resolveUsers">;
  readonly intake: IntakeParts;
  readonly links: UnsubscribeLinks;
}
