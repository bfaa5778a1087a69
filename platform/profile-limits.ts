/** Limits of what is stored of a user, with their units in their names. */
export const profileLimits = {
  attributesPerProfileMax: 20_000,
  // Users merged into one, directly or before, whose ids go on meaning it: beyond, the oldest mean no user
  takenInPerUserMax: 1_000,
  // Of any request that goes into the log, in all its lists: POST /v2/subscription/status/set takes so many groups, each with so many external ids and addresses
  requestElementsMax: 50 * (1 + 50 + 50),
  // By which a user is found, at least as many as one object may name: beyond, the oldest mean no user
  devicesPerUserMax: 100,
  // As JSON text, without the counts by day: two of them are one mutation of Cassandra where users are merged
  profileBytesMax: 8 * 1024 * 1024,
  // A row is one mutation, which Cassandra takes up to 16 MiB (half a commit log segment)
  profileRowPlainBytesMax: 256 * 1024,
  profileRowBytesMax: 12 * 1024 * 1024,
  // Of 65,535 that Cassandra takes as a key, with what it puts between names; no name that is stored comes near
  cassandraKeyBytesMax: 65_000,
  // Of one user: with more it is rejected, as a test account that stands for many people
  eventNamesPerUserMax: 20_000,
  productIdsPerUserMax: 20_000,
  sessionsPerUserMax: 5_000_000,
  // Of a page of users, as JSON: below rpcMessageBytesMax with the largest profile behind it
  usersPageBytesMax: 12 * 1024 * 1024,
  // A user whom an operator admitted may have so many times what it had then
  admittedGrowth: 2,
  // How often a process looks who is rejected, how many users it finds so at most, and how many aliases of each
  rejectedLookMs: 1_000,
  rejectedUsersMax: 10_000,
  rejectedAliasesMax: 100,
  // What a process has appended and is not applied: in how much time it should be, or in how many times that of a request alone, which is measured
  // once in so many; how many bytes that is (at least, at most), and what a request counts beside its body; how often the rate is measured; how many
  // applied ones are remembered
  unappliedMsAim: 100,
  unappliedMsMax: 1_000,
  unappliedAloneTimes: 4,
  unappliedAloneEvery: 4,
  unappliedBytesMin: 256 * 1024,
  unappliedBytesMax: 8 * 1024 * 1024,
  unappliedRecordBytes: 512,
  unappliedMeasureMs: 50,
  unappliedForgetAt: 1_024,
  // Requests beyond that wait for their turn: how long, how often progress is checked, how many with how many bytes (workspace, process), longest Retry-After
  turnMsMax: 8_000,
  turnLookMs: 2_000,
  turnRequestsMax: 1_000,
  turnBytesMax: 8 * 1024 * 1024,
  turnTogetherRequestsMax: 1_500,
  turnTogetherBytesMax: 32 * 1024 * 1024,
  behindRetryAfterSecondsMax: 30,
  // A search by how a name begins: names of a page, users of an address that are shown, skipped pages of names that no user has any more
  namesPerPageMax: 50,
  sharersShownMax: 10,
  searchRoundsMax: 5,
  // Newest events of a workspace that say who was changed last
  changedEventsMax: 200,
  // Rows of identities that are cached: so many, and more where the heap may grow to more than so many bytes for each (one has some 200)
  identityCacheEntriesMin: 70_000,
  identityCacheHeapBytesEach: 2 * 1024,
  // Users as objects: their rows' bytes and so many for each, and the part in so many of all that one may have who is too large for a text
  profileCacheBytesMax: 48 * 1024 * 1024,
  profileCacheEntryBytes: 2_600,
  profileObjectShareMax: 2,
  // And as the texts of their rows: one part in so many of what the heap may grow to, what one takes beside its text, and the part in so many of all
  // texts that one may have
  profileRowsHeapShare: 8,
  profileRowEntryBytes: 400,
  profileRowShareMax: 8,
  // Texts that go to the end, where room is made, in place of being forgotten
  profileRowsMovedMax: 1_000,
  workspacesCachedMax: 1_024,
  // Workspaces of a step that are resolved at the same time; those of a batch of a lane, of which many work at once
  workspacesTogetherMax: 16,
  workspacesOfLaneTogetherMax: 4,
  /** Of one workspace's users of a run of lane messages, those whose records need more than their own row: each of them is some reads and writes, one after the other. */
  slowUsersTogetherMax: 8,
  // Full batches that are written, or reads that are made, at the same time of rows that live together
  callsOfBucketAtOnceMax: 4,
} as const;
