/** The limits of memberships, addresses and the consent ledger, with their units in their names; used as part of `limits`. */
export const consentLimits = {
  // Users or addresses of one step in one process: no other work gets a turn meanwhile
  embeddedBatchUsersMax: 20,
  // There an applier looks at its lane without a notice as often as this, as commands beside it may have asked for something, and saves its position
  embeddedLaneLookMs: 1_000,
  embeddedLaneSaveMs: 200,
  // Records that are one message of a lane there, and messages that are read and unpacked before others get a turn
  laneMessageBytes: 8 * 1024,
  laneMessagesPerRead: 20,
  laneReadBytesMax: 32 * 1024,
  // A read of more users waits for its turn
  laneWantedKeysMax: 100,
  identityRowsPerLoad: 250,
  // How many users a record has that says the same of several
  laneUsersPerRecordMax: 20,
  // After a sweep of merges that left some over
  frozenSweepRestMs: 1_000,
  subscriptionGroupsPerWorkspaceMax: 100,
  // Of a group, how often it was declared and archived in turn; of a workspace, changes of groups that were refused
  groupTurnsKeptMax: 201,
  groupRefusalsKeptMax: 32,
  // A declaration answers once it is in, after so long without
  groupChangeWaitMsMax: 20_000,
  consentRunRecordsMax: 500,
  // Bodies of lane records that are unpacked together
  consentSliceBytesMax: 64 * 1024,
  // Others get their turn after records for so many users are decided, and after so many lane records are encoded
  fanOutUsersPerTurn: 10_000,
  fanOutRecordsPerTurn: 100,
  // What one request says alike of so many users is a fan-out: more than it can name
  fanOutUsersMin: 100,
  // Users of a fan-out whose rows are read and written, and whose events are published, together: in one process they are `embeddedBatchUsersMax`
  fanOutPieceUsersMax: 64,
  // After that its applier rests for so many times as long as it took, at most so long; less where others have to wait for all of it
  fanOutRestFactor: 6,
  fanOutRestMsMax: 90,
  // It goes on after so many times as long as it took where the event loop turned so often, each time so fast
  fanOutQuietRestFactor: 1,
  quietTurnsMin: 3,
  quietTurnMsMax: 0.25,
  // From so many users that are left on it rests less
  laneRestUsersMax: 10_000,
  fanOutBlockedRestFactor: 0.5,
  consentWritesInFlightMax: 16,
  // Users whose memberships live together, with entries of all that they were (fixed: rows already written depend on it)
  membersPerBucket: 512,
  // Buckets of one read, times the users who are looked for in each
  consentLookupsPerRead: 300,
  userStatusPageMax: 100,
  addressesPageMax: 500,
  addressesPageDefault: 100,
  ledgerSubjectsPerPage: 500,
  ledgerSubjectsPerAnswer: 50,
  // Of entries in one answer; a chain that is larger by itself is an answer of its own
  ledgerAnswerBytes: 12 * 1024 * 1024,
  // A list of a group's members: users who are looked at for one page at most, and after how many found it ends
  membersLookedAtMax: 2_000,
  membersPerPage: 50,
  setAsidePageMax: 100,
  setAsideRedrivePage: 1_000,
  consentWaitMs: 250,
  // What was seen of records that wait is so old at most where reads share it, and is kept of so many workspaces
  heldLookMs: 1_000,
  heldLooksMax: 1_000,
  unsubscribeBodyBytesMax: 4 * 1024,
  linkTokenCharsMax: 2_048,
} as const;
