/** What the SCIM service had in a data folder before it had documents: made and taken over by the start, version by version. */

/** Owner `scim`; a version is never changed once released. Bodies are JSON text. */
export const scimTables: readonly string[] = [
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
  `
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'scim-users', company_id, 'id', id, json_set(body, '$.id', id, '$.userNameKey', user_name_key, '$.revision', revision) FROM scim_users;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'scim-users', company_id, 'name', user_name_key, json_set(body, '$.id', id, '$.userNameKey', user_name_key, '$.revision', revision) FROM scim_users;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'scim-users', company_id, 'key', user_name_key, json_quote(id) FROM scim_users;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'scim-users', company_id, 'ext', external_id || char(1) || id, json_set(body, '$.id', id, '$.userNameKey', user_name_key, '$.revision', revision) FROM scim_users WHERE external_id IS NOT NULL;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'scim-users', company_id, 'head', '', json_object('revision', changes, 'users', users) FROM scim_companies;
  INSERT INTO documents (space, partition, kind, id, value, expires_at)
    SELECT 'scim-users', company_id, 'mark', request_hash,
      json_object('bodyHash', body_hash, 'answer', json(answer), 'expiresAt', expires_at), expires_at FROM scim_remembered;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'scim-users', event ->> 'companyId', 'event', ' ' || printf('%018d', sequence), event FROM scim_outbox;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT DISTINCT 'scim-companies', 'all', 'company', event ->> 'companyId', '{}' FROM scim_outbox;
  INSERT INTO documents (space, partition, kind, id, value, expires_at)
    SELECT 'scim-users', company_id, 'log', printf('%015d ', at) || (body ->> 'requestId') || ' ' || sequence,
      json_set(body, '$.at', at, '$.expiresAt', at + 2592000000), at + 2592000000 FROM scim_log;
  DROP TABLE scim_users;
  DROP TABLE scim_companies;
  DROP TABLE scim_remembered;
  DROP TABLE scim_outbox;
  DROP TABLE scim_log;
  `,
];
