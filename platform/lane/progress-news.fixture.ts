/** Progress told within one process. */
import type { News, ProgressNews } from "./progress-news.ts";

export function createLocalNews(): ProgressNews {
  const listeners = new Set<(news: News) => void>();
  const publishers = new Set<() => void>();
  return {
    tell: (news) => {
      for (const listener of listeners) news.forEach(listener);
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
