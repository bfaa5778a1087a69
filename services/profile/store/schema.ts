/** The tables of the profile service in the embedded store, version by version; a version is never changed once released. */

/** Owner `profile`. Rows of a workspace lie together; bodies are JSON text. */
export const profileSchema: readonly string[] = [
  `
  CREATE TABLE profile_workspaces (number INTEGER PRIMARY KEY, workspace_id TEXT NOT NULL UNIQUE);
  CREATE TABLE profile_identities (
    workspace INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (workspace, key)
  ) WITHOUT ROWID;
  CREATE TABLE profile_profiles (
    place INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, user_id TEXT NOT NULL, identity TEXT, body TEXT,
    UNIQUE (workspace, user_id)
  );
  CREATE TABLE profile_frozen (
    workspace_id TEXT NOT NULL, merge_id TEXT NOT NULL, target_id TEXT NOT NULL, undo_until INTEGER NOT NULL,
    target_sequence INTEGER NOT NULL, target_part INTEGER NOT NULL,
    source TEXT NOT NULL, target_before TEXT NOT NULL,
    PRIMARY KEY (workspace_id, merge_id)
  ) WITHOUT ROWID;
  CREATE INDEX profile_frozen_by_target ON profile_frozen (workspace_id, target_id);
  CREATE INDEX profile_frozen_by_expiry ON profile_frozen (undo_until);
  CREATE TABLE profile_journal (
    workspace_id TEXT NOT NULL, merge_id TEXT NOT NULL, sequence INTEGER NOT NULL, part INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (workspace_id, merge_id, sequence, part)
  ) WITHOUT ROWID;
  CREATE TABLE profile_held (
    workspace_id TEXT NOT NULL, user_id TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
  ) WITHOUT ROWID;
  CREATE TABLE profile_held_records (
    workspace_id TEXT NOT NULL, user_id TEXT NOT NULL, sequence INTEGER NOT NULL, part INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (workspace_id, user_id, sequence, part)
  ) WITHOUT ROWID;
  CREATE TABLE profile_checkpoints (log_partition INTEGER PRIMARY KEY, through INTEGER NOT NULL);
  CREATE TABLE profile_set_aside (
    log_partition INTEGER NOT NULL, sequence INTEGER NOT NULL, reason TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (log_partition, sequence)
  ) WITHOUT ROWID;
  `,
  `
  ALTER TABLE profile_identities ADD COLUMN expires_at INTEGER;
  CREATE INDEX profile_identities_by_expiry ON profile_identities (expires_at) WHERE expires_at IS NOT NULL;
  ALTER TABLE profile_checkpoints ADD COLUMN latest_now INTEGER NOT NULL DEFAULT 0;
  `,
  `
  CREATE TABLE profile_origins (
    log_partition INTEGER NOT NULL, through INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (log_partition, through)
  ) WITHOUT ROWID;
  `,
  `
  CREATE TABLE profile_rejected (
    workspace_id TEXT NOT NULL, user_id TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
  ) WITHOUT ROWID;
  `,
  // What appliers of the mesh keep of users, too. A build before took a merge back on both sides at once: a user who comes
  // back now has a record of its own, which waits until the target's is in.
  `
  ALTER TABLE profile_profiles ADD COLUMN mark_sequence INTEGER;
  ALTER TABLE profile_profiles ADD COLUMN mark_part INTEGER;
  ALTER TABLE profile_frozen ADD COLUMN undone INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE profile_handoffs (
    workspace_id TEXT NOT NULL, merge_id TEXT NOT NULL, source TEXT NOT NULL, undo_until INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, merge_id)
  ) WITHOUT ROWID;
  INSERT OR IGNORE INTO profile_held_records (workspace_id, user_id, sequence, part, body)
    SELECT workspace_id, json_extract(body, '$.change.sourceId'), sequence, part, json_object(
      'userId', json_extract(body, '$.change.sourceId'), 'mark', json_array(sequence, part), 'now', json_extract(body, '$.now'),
      'change', json_object('type', 'restore', 'mergeId', json_extract(body, '$.change.mergeId'), 'targetId', user_id))
    FROM profile_held_records WHERE json_extract(body, '$.change.type') = 'undo';
  `,
  // What each step writes of every workspace in it (`n:newest`) is in as few pages as can be
  `
  ALTER TABLE profile_workspaces ADD COLUMN newest_counts TEXT;
  UPDATE profile_workspaces SET newest_counts = (SELECT body FROM profile_identities WHERE workspace = number AND key = 'n:newest');
  DELETE FROM profile_identities WHERE workspace IN (SELECT number FROM profile_workspaces) AND key = 'n:newest';
  `,
];
