/** In which hour each key was used last: one small row a key, which a gateway writes once an hour at most, behind the requests. */
import type { Clock } from "../../../platform/clock.ts";
import type { Documents, Key } from "../../../platform/documents/documents.ts";
import { limits } from "../../../platform/limits.ts";

export interface KeyUses {
  /** Costs a look into a map; what is new is written within `keyUseWriteMs`, and lost with the process before. */
  note(keyId: string): void;
  /** The hour of the last use by the id of the key, in Unix milliseconds; absent: none that is known. */
  list(): Promise<ReadonlyMap<string, number>>;
  close(): void;
}

interface KeyUsesOptions {
  readonly documents: Documents;
  readonly clock: Clock;
  readonly installation: string;
  /** While a backup is made nothing is written. */
  readonly isPaused: () => boolean;
}

export function openKeyUses({ documents, clock, installation, isPaused }: KeyUsesOptions): KeyUses {
  const partition = `${installation} uses`;
  /** Hours that this gateway has noted, whether or not they are written. */
  const noted = new Map<string, number>();
  const waiting = new Map<string, number>();
  let stop: (() => void) | undefined;
  let closed = false;

  async function writeOne(keyId: string, at: number): Promise<void> {
    const key: Key = { kind, id: keyId };
    // Another gateway may have seen it in a later hour
    await documents.changeIf(partition, {
      reads: [key],
      plan: ([found]) =>
        ((found as Use | undefined)?.at ?? 0) >= at ? "known" : [{ key, value: { at, expiresAt: at + limits.keyUseKeepMs } }],
    });
    if (waiting.get(keyId) === at) waiting.delete(keyId);
  }
  async function writeWaiting(): Promise<void> {
    stop = undefined;
    try {
      if (!isPaused()) { for (const [keyId, at] of waiting) await writeOne(keyId, at); }
    } catch {
      // Tried again; that the store is away is logged by the refresh of who may call
    }
    if (waiting.size > 0) writeLater();
  }
  function writeLater(): void {
    if (!closed) stop ??= clock.after(limits.keyUseWriteMs, () => void writeWaiting());
  }
  return {
    note(keyId) {
      const now = clock.now();
      const at = now - now % limits.keyUseMs;
      if (noted.get(keyId) === at) return;
      // What keys were there once is not held for ever
      if (noted.size >= limits.keyUsesNotedMax) noted.clear();
      noted.set(keyId, at);
      waiting.set(keyId, at);
      writeLater();
    },
    async list() {
      return new Map((await documents.list(partition, kind)).map(({ id, value }) => [id, (value as Use).at]));
    },
    close() {
      closed = true;
      stop?.();
    },
  };
}

const kind = "use";

interface Use {
  readonly at: number;
}
