/** The newest place of the log that a client's own writes reached, so that its reads see all of them. */

export interface NewestPosition {
  /** Empty before the first write. */
  token(): string;
  /** Call it when a write is sent, and what it gives with the position of the answer. */
  sent(): (token: string, replayed: boolean) => void;
  /** Of a place that the log does not have any more. */
  forget(token: string): void;
}

/**
 * Answers of writes that were under way together come in any order: the one furthest along the log is the newest. A write that
 * was sent after an answer lies behind it; where its place is lower all the same, the log is another one, and that place counts.
 */
export function openNewestPosition(): NewestPosition {
  let newest = "";
  let answers = 0;
  let newestAnswer = 0;
  return {
    token: () => newest,
    forget(token) {
      if (token === newest) newest = "";
    },
    sent() {
      const seen = answers;
      return (token, replayed) => {
        answers += 1;
        const sentAfter = seen >= newestAnswer && !replayed;
        if (newest !== "" && !isFurther(token, newest) && !sentAfter) return;
        newest = token;
        newestAnswer = answers;
      };
    },
  };
}

function isFurther(token: string, than: string): boolean {
  const [partition, sequence] = placeOf(token);
  const [otherPartition, otherSequence] = placeOf(than);
  return partition === otherPartition && sequence > otherSequence;
}

/** Base64url of `partition:sequence`. */
function placeOf(token: string): readonly [partition: string, sequence: number] {
  try {
    const [partition = "", sequence = ""] = atob(token.replaceAll("-", "+").replaceAll("_", "/")).split(":");
    return [partition, Number(sequence)];
  } catch {
    return ["", Number.NaN];
  }
}
