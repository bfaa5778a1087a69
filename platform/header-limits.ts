/** Limits of the HTTP edge: the value of each header that is read, the pieces of an answer, the addresses that are counted. */

export const headerLimits = {
  // What a client has socketIdleMs to take of its answer
  answerPieceBytes: 256 * 1024,
  // Addresses and links whose requests without a key a gateway counts: some 150 bytes each
  addressLimitKeysMax: 100_000,
  // All lines of a header together. Another header is not looked at; requestIdCharsMax and its like are shorter
  headerCharsMax: {
    accept: 2_048,
    "accept-encoding": 1_024,
    // A wrong key is a wrong key, however long: what is in the head at all is looked up
    authorization: 12_288,
    "content-encoding": 64,
    "content-length": 20,
    "content-type": 256,
    expect: 64,
    host: 300,
    "idempotency-key": 4_096,
    "if-match": 1_024,
    "if-none-match": 1_024,
    "transfer-encoding": 64,
    traceparent: 1_024,
    "x-forwarded-for": 4_096,
    "x-forwarded-host": 300,
    "x-forwarded-proto": 64,
    "x-heddle-position": 4_096,
    "x-request-id": 4_096,
    "x-request-origin": 2_048,
  },
} as const;
