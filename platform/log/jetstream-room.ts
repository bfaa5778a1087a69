/** Whether a stream has room for steps: a reserve at its end is left for announcements and positions, so that lanes always drain. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { askApi, type JetStreamConnection } from "./jetstream-connection.ts";

export interface StreamRoom {
  /** Whether `bytes` more leave the reserve free, by what the server said a moment ago and what was let in since. */
  has(bytes: number): Promise<boolean>;
}

export function streamRoom(connection: JetStreamConnection, stream: string, clock: Clock): StreamRoom {
  let free = 0;
  let askedAt = -Infinity;
  async function look(): Promise<void> {
    askedAt = clock.monotonic();
    const info = await askApi<StreamInfo>(connection, { subject: `STREAM.INFO.${stream}` });
    const max = info?.config.max_bytes ?? 0;
    free = max - (info?.state.bytes ?? 0) - max * limits.logReserveShare;
  }
  return {
    async has(bytes) {
      if (free < bytes || clock.monotonic() - askedAt > limits.logRoomLookMs) await look();
      if (free < bytes) return false;
      free -= bytes;
      return true;
    },
  };
}

interface StreamInfo {
  readonly config: { readonly max_bytes: number };
  readonly state: { readonly bytes: number };
}
