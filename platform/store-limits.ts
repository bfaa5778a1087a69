/** Limits of the embedded store: one SQLite file and its WAL. Part of `limits`. */

export const storeLimits = {
  storeBusyTimeoutMs: 5_000,
  storeWritesWaitingMax: 20_000,
  storeStatementsMax: 1_000,
  storeCacheBytesMax: 32 * 1024 * 1024,
  // Pages of the WAL from which on a thread copies them, or each commit does
  storeWalPagesMax: 16_000,
  storeWalPagesWithinCommits: 4_000,
  storeCheckpointPauseMsMax: 250,
  storeCheckpointThreadIdleMs: 60_000,
  storeSyncMsMax: 50,
  storeWalBytesKeptMax: 128 * 1024 * 1024,
  storeCommitSlowMs: 1_000,
} as const;
