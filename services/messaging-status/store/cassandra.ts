/** The mesh's store of the messaging-status service: states by address, the lists they are on, and keys of links. */
import type { Session } from "../../../platform/cassandra/session.ts";
import type { Clock } from "../../../platform/clock.ts";
import { openCassandraDocuments } from "../../../platform/documents/cassandra.ts";
import { idsAboveAll } from "../../../platform/documents/documents.ts";
import type { Layout } from "../../../platform/documents/layout.ts";
import { type KeyDocument, keyId, openLinkKeys } from "../../../platform/documents/link-keys.ts";
import { sharedRing } from "../../../platform/link-keys.ts";
import { openCassandraConsent, type StateRows } from "../../consent/store/cassandra.ts";
import type { AddressState } from "../domain/address-state.ts";
import { listedWrites, readList } from "./cassandra-lists.ts";
import { states } from "./statements.ts";
import type { StatusTables } from "./tables.ts";

/** The tables must be there (`schema/`, brought by migrate). The session stays the caller's. */
export function openCassandraStatusStore(session: Session, clock: Clock): StatusTables {
  const tables = openCassandraConsent(session, rows);
  return {
    ...tables,
    store: {
      load: async (workspaceId, addresses) => (await tables.loadForStep(workspaceId, addresses)).states,
      list: (workspaceId, list, filter) => readList(session, { workspaceId, list }, filter),
    },
    linkKeys: openLinkKeys(openCassandraDocuments({ session, layout: linkKeysLayout, clock })),
  };
}

const rows: StateRows<AddressState> = {
  of: "addresses",
  column: "address",
  alone: states,
  bucketOf: () => undefined,
  toRow: (state) => JSON.stringify(state),
  fromRow: (state) => state as AddressState,
  listed: listedWrites,
};

/** One row a key, as it was made before there were documents. Keys of before there were rings stand under the first name. */
const linkKeysLayout: Layout = {
  table: "link_keys",
  partition: (ring) => ({ name: ring === `*${sharedRing}` ? "links" : `links ${ring.slice(1)}` }),
  id: "id",
  ids: { toColumn: (id) => id === idsAboveAll ? 2 ** 31 - 1 : Number(id), fromColumn: (id) => keyId(Number(id)) },
  isOfOneKind: true,
  forms: {
    key: {
      columns: ["bytes"],
      toRow: (value) => ({ bytes: Buffer.from((value as KeyDocument).bytes ?? "", "base64") }),
      fromRow: (row): KeyDocument => ({ id: Number(row["id"]), bytes: Buffer.from(row["bytes"] as Uint8Array).toString("base64") }),
    },
  },
};
