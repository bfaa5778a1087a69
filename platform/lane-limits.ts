/** The limits of resolvers and appliers of the mesh, part of `limits`: times in milliseconds (`Ms`), sizes in bytes (`Bytes`). */
export const laneLimits = {
  lanesPerService: 64,
  stepMessageBytesMax: 900 * 1024,
  stepBytesMax: 8 * 1024 * 1024,
  // One record of a lane, or one identity row: it may be a step of its own
  stepItemBytesMax: 12 * 1024 * 1024,
  laneRecordsMax: 64,
  // Of how far lanes were behind: of each minute a sample, for three hours
  lagSampleMs: 60_000,
  lagSamplesMax: 180,
  lanesAppliedAtOnceMax: 32,
  laneBytesMax: 4 * 1024 * 1024,
  laneIdleMsMax: 300_000,
  // Users or addresses that an applier of consent takes together; fewer while a fan-out waits, as others may be asked for meanwhile
  laneBatchUsersMax: 2_000,
  laneBatchBesideManyUsersMax: 200,
  // What the appliers of a process have read and not applied, together: users, bytes; and messages of a lane behind one that is not applied
  laneWindowUsersMax: 50_000,
  laneWindowBytesMax: 16 * 1024 * 1024,
  laneWindowMessagesMax: 50_000,
  // A read of up to `laneWantedKeysMax` that waits longer than so for a lane of another process asks that; so many asks wait in each lane
  laneAskAfterMs: 5,
  laneAsksMax: 256,
  // A read that has no answer for so long asks again, after a pause that doubles up to so much
  laneAskMsMax: 100,
  laneAskPauseMsMax: 40,
  // How long a read looks at least, whatever it has waited before
  laneLookMsMin: 20,
  // An applier saves its position, and trims its lane, as often as this; earlier by bytes. A successor applies so much once more
  lanePositionSaveMs: 10_000,
  lanePositionRetryMs: 1_000,
  laneTrimMs: 60_000,
  laneTrimBytesMax: 1024 * 1024,
  // A resolver rests after a step, until so long after its beginning: longer after one that had its partition's share of so many records, and longest where these are its share of so few bytes
  stepsApartMs: 150,
  manyStepsApartMs: 400,
  manyRecords: 16,
  smallStepsApartMs: 600,
  smallStepsBytes: 256 * 1024,
  // In one process it rests after one whose workspaces have fewer changes each than these, until so long after its beginning
  workspaceChangesFew: 8,
  transactionsApartMs: 60,
  // How long lanes and resolvers of a process work before calls that came meanwhile have their turn
  timeSliceMs: 4,
  laneWaitMsMax: 2_000,
  memberBeatMs: 1_000,
  memberGoneMs: 3_500,
  // How often a process reads what resolvers decided while no read waits for it
  reportReadMs: 500,
  // How long what a process wrote waits for the notice of it, before readers are called without it
  ownNoticeMsMax: 50,
  progressRepeatMs: 1_000,
  // Progress made so soon after the last that was published is published together
  progressGatherMs: 5,
  progressAskMs: 30_000,
  stepsHeardMax: 10_000,
  // How often it is looked what waits for a human: while something does, and otherwise
  backlogLookMs: 2_000,
  backlogLookIdleMs: 20_000,
  // How long the end of a log counts without a notice that more came
  quietTailMs: 20_000,
  // How often a part looks whether log and rows are of one history, while nothing goes through
  epochLookIdleMs: 20_000,
} as const;
