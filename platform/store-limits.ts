/** Limits of the embedded store: one SQLite file and its WAL. Part of `limits`. */

export const storeLimits = {
  storeBusyTimeoutMs: 5_000,
  // How long a command may look whether a server has the data folder
  folderLookMsMax: 500,
  storeWritesWaitingMax: 20_000,
  storeStatementsMax: 1_000,
  // SQLite looks through all of its pages behind each commit that divided one; what is not among them is in memory as the file's
  storeCacheBytesMax: 8 * 1024 * 1024,
  // Pages of the WAL from which on a thread copies them, or each commit does
  storeWalPagesMax: 16_000,
  storeWalPagesWithinCommits: 4_000,
  storeCheckpointPauseMsMax: 250,
  storeCheckpointThreadIdleMs: 60_000,
  storeSyncMsMax: 50,
  storeWalBytesKeptMax: 128 * 1024 * 1024,
  storeCommitSlowMs: 1_000,
} as const;
