/** Limits of what a process knows of workspaces, companies and its like, and of commands that write to them. Part of `limits`. */

export const tenantLimits = {
  // Of workspaces and companies that a process does not know: looks at a time, and how many more wait
  rpcTenantLooksMax: 64,
  rpcTenantLooksWaitingMax: 2_000,
  tenantsReadMs: 10_000,
  // Looks through all dashboard users that wait for their turn (scimScansWaitingMax) for one company
  scimScansWaitingOfCompanyMax: 4,
  // How long a gateway rests before each look for sessions, keys and tokens that it does not know, which all who wait share
  accessMissMs: 20,
  // How long a request with an unknown key waits for such a look, at most
  accessKeyWaitMs: 250,
  // A gateway that was asked for nothing for so long looks as seldom as that whether who may call has changed, and before it answers the next request
  accessRestAfterMs: 5_000,
  accessRestMs: 1_500,
  // How often a gateway asks whether all parts are still ready; while one is not, each `rpcHealthCheckMs`
  partsReadyLookMs: 4_000,
  // Whether Cassandra answers, while it does
  cassandraLookMs: 3_000,
  // heddle import: rows that are looked up before what was counted is written
  importRowsPerCommit: 10_000,
  // When a key was used: how finely, how soon it is written and for how long, and of how many keys a gateway remembers that it is
  keyUseMs: 3600 * 1000,
  keyUseWriteMs: 2_000,
  keyUseKeepMs: 400 * 24 * 3600 * 1000,
  keyUsesNotedMax: 100_000,
  // Counts of requests: how soon they are written, how many workspaces in a turn, and for how long minutes and hours are kept
  requestCountsWriteMs: 15_000,
  requestCountsTurnMs: 1_000,
  requestCountsPerTurnMax: 50,
  requestCountsWorkspacesMax: 10_000,
  requestCountsPerRead: 500,
  requestMinutesKeepMs: 25 * 3600 * 1000,
  requestHoursKeepMs: 367 * 24 * 3600 * 1000,
  // Of what was declared last, as JSON without secrets, translations and pages: a larger one is not compared
  lastDeclarationCharsMax: 512 * 1024,
  // How often a gateway says that it is there, and after how much silence others take it for gone
  gatewayBeatMs: 5_000,
  gatewaySilenceMs: 20_000,
  // How often a process of the mesh says that it runs, after how much silence it is shown as late, and after how much no more; and how long a row
  // says that it ended
  processAnnounceMs: 30_000,
  processLateMs: 90_000,
  processKeepMs: 3600 * 1000,
  processEndedKeepMs: 60_000,
  // How long it holds what a gateway found of itself and its servers
  consoleExamineKeepMs: 10_000,
  // While a backup is made: how long a pause of writes lasts without a renewal, how often it is renewed, and the Retry-After of clients
  writePauseMs: 30_000,
  writePauseRenewMs: 5_000,
  writePauseHeardMs: 2_000,
  writePauseRetryAfterSeconds: 5,
} as const;
