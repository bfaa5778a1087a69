/** What the contract of a move needs of any store of memberships. */
import type { ConsentMoveDriver } from "../../../platform/ledger/moved-contract.ts";
import { noMemberships, type UserMemberships } from "../domain/memberships.ts";
import type { SubscriptionTables } from "./tables.ts";

export function moveDriver(tables: SubscriptionTables, close: () => Promise<void>): ConsentMoveDriver<UserMemberships> {
  return {
    move: tables.move,
    ledger: tables,
    stateOf: (subject, place) => ({
      ...noMemberships(subject),
      mark: [2 ** 41, place],
      groups: new Map([["g", "subscribed"], ["__proto__", "unsubscribed"]]),
      merges: [{ mergeId: "m", undoUntil: 5, source: noMemberships("s"), before: new Map([["g", "subscribed"]]) }],
      absorbed: ["old"],
    }),
    async setAside() {
      const record = { workspaceId: "w", sequence: 1, part: 0, key: "k", body: Uint8Array.of(1) };
      await tables.commit({ workspaces: [], deadLetters: [{ record, reason: "no record" }] });
    },
    close,
  };
}
