/** States of addresses as the consent engine applies them. */
import type { ConsentKind } from "../../consent/engine/plan-step.ts";
import { type AddressState, unknownAddress } from "../domain/address-state.ts";
import { applyRecord } from "../domain/apply-record.ts";
import type { StatusRecord } from "../domain/status-record.ts";

export interface StatusKindParts {
  /** The pure step; an argument so that a test can make it throw. */
  readonly applyRecord?: typeof applyRecord;
}

export function statusKind(parts: StatusKindParts): ConsentKind<AddressState, StatusRecord> {
  const applied = parts.applyRecord ?? applyRecord;
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
