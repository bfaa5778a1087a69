/** Whether a request asks what an earlier one under its Idempotency-Key did, by the hashes that are kept of both. */

/** SHA-256, as hex. */
export interface RequestHashes {
  /** Of what is asked: of the RPC's message, or of the HTTP body where the message has it whole. */
  readonly bodyHash: string;
  /** Of what the client sent over HTTP; absent where `bodyHash` is that, and where the caller gave none. */
  readonly sentHash?: string;
}

/** The mark of a request with an Idempotency-Key, as a document has it. */
export interface IdempotencyHashes extends RequestHashes {
  /** Of the key, who sent it and what it counts for. */
  readonly requestHash: string;
}

export function isSameRequest(first: RequestHashes, again: RequestHashes): boolean {
  return hashOf(first) === hashOf(again) || isSameToTheBuildBefore(first, again);
}

function hashOf({ sentHash, bodyHash }: RequestHashes): string {
  return sentHash ?? bodyHash;
}

/**
 * The build before knows no `sentHash`: what it has kept, and what its processes still take beside ours, is compared as it does. Once every
 * process is of this build for longer than a key is kept, this can go (docs/decisions/0058-the-hash-of-what-was-sent.md).
 */
function isSameToTheBuildBefore(first: RequestHashes, again: RequestHashes): boolean {
  return (first.sentHash === undefined) !== (again.sentHash === undefined) && first.bodyHash === again.bodyHash;
}
