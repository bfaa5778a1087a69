/** Notices between gateways that who may call has changed: short messages to those that listen, stored nowhere. */
import type { GatewayBus } from "./gateway-bus.ts";

export interface AccessNotices {
  /** Notifies the other gateways; may be lost, for they also poll. Never throws. */
  notify(): Promise<void> | void;
  /** The returned function stops it. */
  listen(listener: () => void): () => void;
}

/** `subject` is shared by all gateways of an installation, and by nothing else. */
export function openAccessNotices(bus: Pick<GatewayBus, "tried" | "publish" | "subscribe">, subject: string): AccessNotices {
  return {
    async notify() {
      await bus.tried;
      bus.publish(subject, nothing);
    },
    listen: (listener) => bus.subscribe(subject, listener),
  };
}

const nothing = new Uint8Array();
