/** What a data folder had of who may call before it had documents: made and taken over by the start, version by version. */

/** Owner `access`; a version is never changed once released. */
export const earlierTables: readonly string[] = [
  `
  CREATE TABLE access_companies (
    id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, onboarded_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE access_workspaces (
    id TEXT PRIMARY KEY, company_id TEXT NOT NULL, name TEXT NOT NULL,
    plan TEXT NOT NULL, currency_rates TEXT NOT NULL, apps TEXT NOT NULL, UNIQUE (company_id, name)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE access_keys (
    id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, name TEXT NOT NULL, permissions TEXT NOT NULL,
    ip_allow TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE access_scim_tokens (
    id TEXT PRIMARY KEY, company_id TEXT NOT NULL, name TEXT NOT NULL, origin TEXT NOT NULL,
    ip_allow TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE access_declared (
    workspace_id TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (workspace_id, kind, id)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE access_scim_tokens ADD COLUMN origin_header TEXT NOT NULL DEFAULT 'required';
  ALTER TABLE access_scim_tokens ADD COLUMN default_workspace TEXT NOT NULL DEFAULT '';
  `,
  `
  ALTER TABLE access_companies ADD COLUMN limits TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE access_workspaces ADD COLUMN limits TEXT NOT NULL DEFAULT '{}';
  `,
  "ALTER TABLE access_scim_tokens ADD COLUMN permissions_on_create TEXT NOT NULL DEFAULT 'required'",
  "ALTER TABLE access_workspaces ADD COLUMN cors_origins TEXT NOT NULL DEFAULT '[]'",
  `
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'access', 'heddle', 'company', id, json_object('id', id, 'name', name, 'onboardedAt', onboarded_at, 'limits', json(limits))
    FROM access_companies;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'access', 'heddle', 'workspace', id, json_object('id', id, 'companyId', company_id, 'name', name, 'plan', json(plan),
      'currencyRates', json(currency_rates), 'apps', json(apps), 'corsOrigins', json(cors_origins), 'limits', json(limits)) FROM access_workspaces;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'access', 'heddle', 'key', id, json_object('id', id, 'name', name, 'ipAllow', json(ip_allow), 'digest', digest,
      'createdAt', created_at, 'revokedAt', revoked_at, 'workspaceId', workspace_id, 'permissions', json(permissions)) FROM access_keys;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'access', 'heddle', 'token', id, json_object('id', id, 'name', name, 'ipAllow', json(ip_allow), 'digest', digest,
      'createdAt', created_at, 'revokedAt', revoked_at, 'companyId', company_id, 'origin', origin, 'originHeader', origin_header,
      'permissionsOnCreate', permissions_on_create, 'defaultWorkspaceId', default_workspace) FROM access_scim_tokens;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'access', 'heddle', 'declared', workspace_id || ' ' || kind || ' ' || id,
      json_object('workspaceId', workspace_id, 'kind', kind, 'id', id, 'content', json(json)) FROM access_declared;
  DROP TABLE access_companies;
  DROP TABLE access_workspaces;
  DROP TABLE access_keys;
  DROP TABLE access_scim_tokens;
  DROP TABLE access_declared;
  `,
];
