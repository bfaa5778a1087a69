/** What any store of the messaging-status service offers: the tables of consent, by address, lists and link keys. */
import type { LinkKeys } from "../../../platform/link-keys.ts";
import type { LaneStep } from "../../consent/engine/plan-step.ts";
import type { ConsentTables } from "../../consent/engine/tables.ts";
import type { AddressState } from "../domain/address-state.ts";
import type { AddressStore } from "../domain/ports.ts";

export interface StatusTables extends ConsentTables<AddressState> {
  readonly store: AddressStore;
  /** Of unsubscribe links. */
  readonly linkKeys: LinkKeys;
}

export type StepRows = LaneStep<AddressState>;
