/** What the handlers need. */
import type { Client } from "@connectrpc/connect";
import type { IntakeParts } from "../../../platform/intake/intake.ts";
import type { LedgerDamage, LedgerEntry } from "../../../platform/ledger/ledger.ts";
import type { ProfileService } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ReadParts } from "../domain/ports.ts";

export interface ServiceParts extends ReadParts {
  readonly profile: Pick<Client<typeof ProfileService>, "resolveUsers">;
  readonly intake: IntakeParts;
  /** An id that was never given before. */
  readonly newGroupId: () => string;
  readonly ledger: {
    history(workspaceId: string, subject: string): Promise<LedgerEntry[]>;
    verify(workspaceId: string): Promise<{ readonly entries: number; readonly damage: LedgerDamage | undefined }>;
  };
}
