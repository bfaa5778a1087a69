/** Limits of the events that other services and teams read. Part of `limits`. */

export const eventLimits = {
  // The body of one, whatever the server takes: an event about several users is split by it
  eventBytesMax: 48 * 1024,
  eventsKeptMax: 5_000,
  // Names that an event lists of one user, and their length together: more are left out, and the event says so
  eventNamesMax: 255,
  eventNamesCharsMax: 8_192,
  eventsInFlightMax: 256,
  eventBytesInFlightMax: 1024 * 1024,
  eventsWaitingMax: 1_000,
  // How long events of a lane wait for those of others
  eventsLingerMs: 15,
  eventsRepeatMs: 10 * 60 * 1000,
  eventsKeepMs: 7 * 24 * 3600 * 1000,
} as const;
