/** The tables of the SCIM service in the embedded store, version by version; a version is never changed once released. */

/** Owner `scim`. Bodies are JSON text. */
export const scimSchema: readonly string[] = [
  `
  CREATE TABLE scim_users (
    row INTEGER PRIMARY KEY, company_id TEXT NOT NULL, user_name_key TEXT NOT NULL, id TEXT NOT NULL,
    external_id TEXT, revision INTEGER NOT NULL, body TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX scim_users_by_name ON scim_users (company_id, user_name_key);
  CREATE UNIQUE INDEX scim_users_by_id ON scim_users (company_id, id);
  CREATE INDEX scim_users_by_external_id ON scim_users (company_id, external_id) WHERE external_id IS NOT NULL;
  CREATE TABLE scim_companies (
    company_id TEXT PRIMARY KEY, users INTEGER NOT NULL, changes INTEGER NOT NULL, log_sequence INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE scim_remembered (
    company_id TEXT NOT NULL, request_hash TEXT NOT NULL, body_hash TEXT NOT NULL, answer TEXT NOT NULL, expires_at INTEGER NOT NULL,
    PRIMARY KEY (company_id, request_hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX scim_remembered_by_expiry ON scim_remembered (expires_at);
  CREATE TABLE scim_outbox (sequence INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL) STRICT;
  CREATE TABLE scim_log (
    company_id TEXT NOT NULL, sequence INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (company_id, sequence)
  ) STRICT, WITHOUT ROWID;
  `,
];
