/** The SCIM service's documents in the tables of its keyspace that were made for them. */
import type { Session } from "../../../platform/cassandra/session.ts";
import type { Clock } from "../../../platform/clock.ts";
import { openCassandraDocuments } from "../../../platform/documents/cassandra.ts";
import type { Layout, RowForm } from "../../../platform/documents/layout.ts";
import { limits } from "../../../platform/limits.ts";
import type { Census, LogEntry } from "../domain/ports.ts";
import type { User } from "../domain/user.ts";
import type { ScimDocuments } from "./documents.ts";

export function openCassandraScim(session: Session, clock: Clock): ScimDocuments {
  return {
    users: openCassandraDocuments({ session, clock, layout: usersLayout }),
    requests: openCassandraDocuments({ session, clock, layout: requestsLayout }),
    companies: openCassandraDocuments({ session, clock, layout: companiesLayout }),
  };
}

const userForm: RowForm = {
  columns: ["revision", "id", "user_name_key", "body"],
  toRow(value) {
    const { id, userNameKey: user_name_key, revision, ...body } = value as User;
    return { id, user_name_key, revision, body: JSON.stringify(body) };
  },
  fromRow: (row) => ({ ...JSON.parse(String(row["body"])), id: row["id"], userNameKey: row["user_name_key"], revision: row["revision"] }),
};

type Entry = LogEntry & { readonly expiresAt: number };

/** When it ends is the row's, and the same for all. */
const logForm: RowForm = {
  columns: ["body"],
  toRow: (value) => ({ body: JSON.stringify({ ...value as Entry, expiresAt: undefined }) }),
  fromRow(row): Entry {
    const entry = JSON.parse(String(row["body"])) as LogEntry;
    return { ...entry, expiresAt: entry.at + limits.scimLogKeepMs };
  },
};

const usersLayout: Layout = {
  table: "directory_by_company",
  partition: "company_id",
  id: "key",
  // Between an externalId and the id of its user
  ids: { toColumn: (id) => id.replace("\u0001", "\u0000"), fromColumn: (key) => String(key).replace("\u0000", "\u0001") },
  head: {
    columns: ["changes", "users"],
    toRow(value) {
      const { revision, users = 0 } = value as { readonly revision: number; readonly users?: number };
      return { changes: BigInt(revision), users };
    },
    fromRow: (row): Pick<Census, "users"> & { readonly revision: number } => ({
      revision: Number(row["changes"]),
      users: Number(row["users"]),
    }),
  },
  forms: {
    id: userForm,
    name: userForm,
    ext: userForm,
    key: { columns: ["id"], toRow: (value) => ({ id: String(value) }), fromRow: (row) => row["id"] },
    log: logForm,
  },
};

const requestsLayout: Layout = {
  table: "requests_by_day",
  partition(name) {
    const end = name.indexOf(" ");
    return { company_id: name.slice(end + 1), day: Number(name.slice(0, end)) };
  },
  id: "key",
  isOfOneKind: true,
  forms: { log: logForm },
};

const companiesLayout: Layout = {
  table: "companies_with_events",
  partition: () => ({ bucket: 0 }),
  id: "company_id",
  isOfOneKind: true,
  forms: { company: { columns: [], toRow: () => ({}), fromRow: () => ({}) } },
};
