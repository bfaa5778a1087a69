/** The mesh's store of the messaging-status service: states by address, the lists they are on, and keys of links. */
import type { Session } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import { type LinkKeys, sharedRing } from "../../../platform/link-keys.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { openCassandraConsent, type StateRows } from "../../consent/store/cassandra.ts";
import type { AddressState } from "../domain/address-state.ts";
import { listedWrites, readList } from "./cassandra-lists.ts";
import { putLinkKey, putState, selectLinkKeys, selectStates } from "./statements.ts";
import type { StatusTables } from "./tables.ts";

/** The tables must be there (`schema/`, brought by migrate). The session stays the caller's. */
export function openCassandraStatusStore(session: Session): StatusTables {
  const tables = openCassandraConsent(session, rows);
  return {
    ...tables,
    store: {
      load: async (workspaceId, addresses) => (await tables.loadForStep(workspaceId, addresses)).states,
      list: (workspaceId, list, filter) => readList(session, { workspaceId, list }, filter),
    },
    linkKeys: linkKeyTable(session),
  };
}

const rows: StateRows<AddressState> = {
  key: "address",
  select: (workspaceId, addresses) => ({ cql: selectStates, values: { workspace_id: workspaceId, addresses }, idempotent: true }),
  put: (workspaceId, address, row) => ({ cql: putState, values: { workspace_id: workspaceId, address, ...row }, idempotent: true }),
  toRow: (state) => JSON.stringify(state),
  fromRow: (state) => state as AddressState,
  listed: listedWrites,
};

/** One row a key, given out in order: whoever comes second to a number takes the next. */
function linkKeyTable(session: Session): LinkKeys {
  async function read(ring: string, serial: boolean) {
    const statement = { cql: selectLinkKeys, values: { name: nameOf(ring) }, idempotent: true };
    const rows = await session.execute(serial ? { ...statement, serial } : statement);
    return rows.map((row) => ({ id: Number(row["id"]), bytes: new Uint8Array(row["bytes"] as Uint8Array) })).toReversed();
  }
  return {
    all: (ring) => read(ring, false),
    async add(ring, make, { unlessAny }) {
      for (let attempt = 1; attempt <= limits.linkKeyAttemptsMax; attempt += 1) {
        const [newest] = await read(ring, true);
        if (unlessAny && newest !== undefined) return;
        const { id, bytes } = make((newest?.id ?? 0) + 1);
        if (await session.conditional([{ cql: putLinkKey, values: { name: nameOf(ring), id, bytes }, idempotent: false }])) return;
      }
      throw new Refusal("STATE_CONFLICT", "Keys of links are being made by others, try again");
    },
  };
}

/** Those of before there were rings stand under the first name. */
function nameOf(ring: string): string {
  return ring === sharedRing ? "links" : `links ${ring}`;
}
