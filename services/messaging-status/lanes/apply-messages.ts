/** Records of a lane of addresses, applied by the consent engine. */
import { type AppliedTables, type ApplyEnds, applyLane } from "../../consent/engine/apply-messages.ts";
import type { ConsentKind } from "../../consent/engine/plan-step.ts";
import type { LaneBody } from "../../consent/engine/lane-message.ts";
import { type AddressState, unknownAddress } from "../domain/address-state.ts";
import { applyRecord } from "../domain/apply-record.ts";
import type { StatusRecord } from "../domain/status-record.ts";
import { statusMessages } from "./lane-message.ts";

export interface StatusApplyDeps extends AppliedTables<AddressState>, ApplyEnds {
  /** The pure step; an argument so that a test can make it throw. */
  readonly applyRecord?: typeof applyRecord;
}

/** As `applyLane`. */
export async function applyMessages(deps: StatusApplyDeps, bodies: readonly LaneBody[]): Promise<void> {
  await applyLane({ ...deps, service: "messaging-status", kind: statusKind(deps), messages: statusMessages }, bodies);
}

function statusKind(deps: Pick<StatusApplyDeps, "applyRecord">): ConsentKind<AddressState, StatusRecord> {
  const applied = deps.applyRecord ?? applyRecord;
  return {
    keysOf: ({ address }) => [address],
    // Lists may hold an address at each of the times that it passed through
    copy: (state) => ({ ...state }),
    judge: () =>
      Promise.resolve(({ states }, record) => {
        const { address: subject } = record;
        const state = states.get(subject) ?? unknownAddress(subject);
        states.set(subject, state);
        return { changes: applied(state, record).map((change) => ({ subject, ...change })), erased: [], first: [] };
      }),
  };
}
