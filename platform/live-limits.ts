/** Limits of the live view of the console: who watches, how much of it, and how long anything is there. Part of `limits`. */

export const liveLimits = {
  // Views that are open at a gateway: of one workspace, and of all
  liveViewersPerWorkspaceMax: 20,
  liveViewersMax: 200,
  // Requests a second that a gateway shows of a workspace to those with the same filter; of more it shows a share, and says which
  liveEntriesPerSecond: 20,
  // Requests a second that one view is sent, of all gateways together
  liveViewerEntriesPerSecond: 100,
  // What a view that comes back after a moment, or comes anew, is sent of before: without bodies
  liveRingEntriesMax: 500,
  liveRingBytesMax: 256 * 1024,
  // How long a workspace is still watched after its last view has gone, so that one that comes back misses nothing
  liveLingerMs: 15_000,
  // A gateway says so often that it watches, and so long it is believed
  liveAnnounceMs: 2_000,
  liveWatchMs: 7_000,
  // How often a view's key is checked and its counts of requests are sent, and at the latest where there were none
  liveTickMs: 1_000,
  liveHeartbeatMs: 10_000,
  // Of one request: objects that are shown, names of events, the body that is looked into for them, the answer likewise, and what is shown of the body
  liveObjectsMax: 20,
  liveEventNamesMax: 75,
  liveParsedBytesMax: 64 * 1024,
  liveBodyCharsMax: 4_096,
  liveNameCharsMax: 255,
  // What one view leaves unread, from which on it is sent nothing more until it has read
  liveViewerCharsMax: 256 * 1024,
  // When a view that lost its stream comes back
  liveRetryMs: 2_000,
  // Of one request, as gateways send it to each other
  liveMessageBytesMax: 48 * 1024,
  // Filters of different views of one workspace, of all gateways
  liveFiltersMax: 40,
} as const;
