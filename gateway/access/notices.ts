/** Notices between gateways that who may call has changed: short messages to whoever listens, kept by nobody. */

export interface AccessNotices {
  /** Tells the others; lost where they cannot be reached, for they also ask. Never throws. */
  tell(): Promise<void> | void;
  /** The returned function stops it. */
  listen(listener: () => void): () => void;
}

/** As `connectJetStream` gives it. */
export interface Bus {
  readonly up: boolean;
  publish(subject: string, body: Uint8Array): void;
  subscribe(subject: string, callback: () => void): () => void;
}

/** `subject` is shared by all gateways of an installation, and by nothing else. */
export function openBusNotices(bus: Bus, subject: string): AccessNotices {
  return {
    tell() {
      if (bus.up) bus.publish(subject, nothing);
    },
    listen: (listener) => bus.subscribe(subject, listener),
  };
}

const nothing = new Uint8Array();
