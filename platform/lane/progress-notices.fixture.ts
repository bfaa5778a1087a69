/** Progress notices within one process. */
import type { ProgressNotice, ProgressNotices } from "./progress-notices.ts";

export function createLocalNotices(): ProgressNotices {
  const listeners = new Set<(notice: ProgressNotice) => void>();
  const publishers = new Set<() => void>();
  return {
    publish: (notices) => {
      for (const listener of listeners) notices.forEach(listener);
    },
    listen(listener) {
      listeners.add(listener);
      for (const publisher of publishers) publisher();
      return () => listeners.delete(listener);
    },
    onAsk(listener) {
      publishers.add(listener);
      return () => publishers.delete(listener);
    },
  };
}
