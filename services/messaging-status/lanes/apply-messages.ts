/** Records of a lane of addresses, applied by the consent engine. */
import { type AppliedTables, type ApplyEnds, applyLane } from "../../consent/engine/apply-messages.ts";
import type { LaneBody } from "../../consent/lane/lane-window.ts";
import type { AddressState } from "../domain/address-state.ts";
import { statusMessages } from "./lane-message.ts";
import { statusKind, type StatusKindParts } from "./status-kind.ts";

export interface StatusApplyParts extends AppliedTables<AddressState>, ApplyEnds, StatusKindParts {}

/** As `applyLane`. */
export async function applyMessages(parts: StatusApplyParts, bodies: readonly LaneBody[]): Promise<void> {
  await applyLane({ ...parts, service: "messaging-status", kind: statusKind(parts), messages: statusMessages }, bodies);
}
