/** What the content service had in a data folder before it had documents: made and taken over by the start, version by version. */

/** Owner `content-centers`; a version is never changed once released. Bodies are JSON text. */
export const centerTables: readonly string[] = [
  `
  CREATE TABLE content_centers (
    workspace_id TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, state TEXT NOT NULL,
    PRIMARY KEY (workspace_id, id)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX content_centers_by_name ON content_centers (workspace_id, name);
  CREATE TABLE content_center_versions (
    workspace_id TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, written_at INTEGER NOT NULL,
    actor TEXT NOT NULL, request_id TEXT NOT NULL, restored_from INTEGER, body TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX content_center_versions_by_version ON content_center_versions (workspace_id, id, version);
  CREATE TABLE content_marks (
    workspace_id TEXT NOT NULL, request_hash TEXT NOT NULL, body_hash TEXT NOT NULL, answer TEXT NOT NULL, expires_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, request_hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX content_marks_by_expiry ON content_marks (expires_at);
  CREATE TABLE content_page_settings (workspace_id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE content_link_keys (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  `,
  `
  CREATE TABLE content_link_rings (
    ring TEXT NOT NULL, id INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (ring, id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO content_link_rings (ring, id, bytes) SELECT '', id, bytes FROM content_link_keys;
  DROP TABLE content_link_keys;
  `,
  `
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'centers', workspace_id, 'center', id, json_object('id', id, 'name', name, 'version', version,
      'createdAt', created_at, 'updatedAt', updated_at, 'state', state, 'contentId', id || ' ' || version) FROM content_centers;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'centers', workspace_id, 'name', name, json_quote(id) FROM content_centers;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'centers', workspace_id, 'version', id || ' ' || printf('%010d', 9999999999 - version), json_patch(json_object('version', version,
      'writtenAt', written_at, 'actor', actor, 'requestId', request_id, 'contentId', id || ' ' || version),
      json_object('restoredFrom', restored_from)) FROM content_center_versions;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'centers', workspace_id, 'content', id || ' ' || version, body FROM content_center_versions;
  INSERT INTO documents (space, partition, kind, id, value, expires_at)
    SELECT 'centers', workspace_id, 'mark', request_hash, json_object('bodyHash', body_hash, 'answer', json(answer), 'expiresAt', expires_at),
      expires_at FROM content_marks;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'centers', workspace_id, 'settings', 'pages', body FROM content_page_settings;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'centers', '*' || ring, 'key', printf('%010d', id), json_object('id', id, 'hex', hex(bytes)) FROM content_link_rings;
  DROP TABLE content_centers;
  DROP TABLE content_center_versions;
  DROP TABLE content_marks;
  DROP TABLE content_page_settings;
  DROP TABLE content_link_rings;
  `,
];

/** Owner `content-translations`; a version is never changed once released. */
export const translationTables: readonly string[] = [
  `
  CREATE TABLE content_translation_settings (
    workspace_id TEXT PRIMARY KEY, revision INTEGER NOT NULL, settings TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE content_message_owners (
    workspace_id TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX content_message_owners_by_id ON content_message_owners (workspace_id, kind, id);
  CREATE TABLE content_message_places (
    workspace_id TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, owner_id TEXT NOT NULL,
    PRIMARY KEY (workspace_id, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE content_translations (
    workspace_id TEXT NOT NULL, message_id TEXT NOT NULL, locale_id TEXT NOT NULL, body BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX content_translations_by_message ON content_translations (workspace_id, message_id, locale_id);
  CREATE TABLE content_translation_marks (
    workspace_id TEXT NOT NULL, request_hash TEXT NOT NULL, body_hash TEXT NOT NULL, expires_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, request_hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX content_translation_marks_by_expiry ON content_translation_marks (expires_at);
  `,
  `
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'translations', workspace_id, 'head', '', json_object('revision', revision, 'settings', json(settings))
    FROM content_translation_settings;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'translations', workspace_id, kind, id, body FROM content_message_owners;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'translations', workspace_id, 'place', id, json_quote(kind || ' ' || owner_id) FROM content_message_places;
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'translations', workspace_id, 'text', message_id || '/' || locale_id, body FROM content_translations;
  INSERT INTO documents (space, partition, kind, id, value, expires_at)
    SELECT 'translations', workspace_id, 'mark', request_hash, json_object('bodyHash', body_hash, 'expiresAt', expires_at), expires_at
    FROM content_translation_marks;
  DROP TABLE content_translation_settings;
  DROP TABLE content_message_owners;
  DROP TABLE content_message_places;
  DROP TABLE content_translations;
  DROP TABLE content_translation_marks;
  `,
];
