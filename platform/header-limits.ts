/** Limits of the HTTP edge: heads and bodies of requests, the pieces of an answer, the addresses that are counted. */

export const headerLimits = {
  // Request line and headers together: at the gateway, whose queries may name fifty users, and at ports for parts and operators
  requestHeadBytesMax: 64 * 1024,
  headerBytesMax: 16 * 1024,
  // Bodies by route, as they come and as they unfold. A request of /users/track is no larger as it is stored: intakeRecordBytesMax
  smallRequestBytesMax: 512 * 1024,
  trackRequestBytesMax: 12 * 1024 * 1024,
  syncRequestBytesMax: 4 * 1024 * 1024,
  bulkRequestBytesMax: 2 * 1024 * 1024,
  // Fifty groups of fifty ids, or of fifty emails
  groupsRequestBytesMax: 4 * 1024 * 1024,
  // Three pages of pageBytesMax, and what their escapes add
  pagesRequestBytesMax: 12 * 1024 * 1024,
  // Bodies that are held: of all requests, and where one of more than smallRequestBytesMax is refused for others to be taken
  bodyBytesInFlightMax: 128 * 1024 * 1024,
  largeBodyBytesInFlightMax: 96 * 1024 * 1024,
  // Of the requests that are answered at a time (requestsInFlightMax) the ones of links, which need no key
  linkRequestsInFlightMax: 500,
  // Of a body, pieces of less are copied together, so many bytes at a time: a client may send one byte at a time
  smallPieceBytes: 1024,
  smallPiecesBytes: 8 * 1024,
  // Compressed bodies that are decompressed at a time: each counts as the largest of its route until its size is known
  bodiesUnfoldingMax: 4,
  // What comes out at a time: each piece is a round of the thread pool, 16 KiB cost five times the CPU
  bodyPieceBytes: 256 * 1024,
  // Whose pages in browsers may use keys of a workspace
  corsOriginsPerWorkspaceMax: 50,
  // Of a file that the command imports: a line, and what it sends together
  importLineBytesMax: 4 * 1024 * 1024,
  importBatchBytesMax: 3.5 * 1024 * 1024,
  // What parseJson() weighs of a body, some 8 to 20 bytes of memory each: of /users/track, of others
  trackJsonWeightMax: 8_000_000,
  jsonWeightMax: 1_000_000,
  // An answer to a read from which on it is compressed
  compressedAnswerBytesMin: 8 * 1024,
  // What a client has socketIdleMs to take of its answer
  answerPieceBytes: 256 * 1024,
  // Addresses and links whose requests without a key a gateway counts: some 150 bytes each
  addressLimitKeysMax: 100_000,
  // All lines of a header together. Another header is not looked at; requestIdCharsMax and its like are shorter
  headerCharsMax: {
    accept: 2_048,
    "accept-encoding": 1_024,
    "access-control-request-method": 64,
    // A wrong key is a wrong key, however long: what is in the head at all is looked up
    authorization: 12_288,
    "content-encoding": 64,
    "content-length": 20,
    "content-type": 256,
    // Of all programs that share the host; a session of the console is among it
    cookie: 16_384,
    expect: 64,
    host: 300,
    "idempotency-key": 4_096,
    "last-event-id": 128,
    "if-match": 1_024,
    "if-none-match": 1_024,
    origin: 512,
    "sec-fetch-site": 64,
    "transfer-encoding": 64,
    traceparent: 1_024,
    "x-forwarded-for": 4_096,
    "x-forwarded-host": 300,
    "x-forwarded-proto": 64,
    "x-heddle-console": 64,
    "x-heddle-position": 4_096,
    "x-request-id": 4_096,
    "x-request-origin": 2_048,
  },
} as const;
