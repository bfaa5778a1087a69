/** Scripts that Redis runs: by their hash, and by their text where Redis has forgotten it. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";

type RunScript = (
  redis: Pick<Redis, "evalsha" | "eval">,
  keys: readonly string[],
  words: readonly (string | number)[],
) => Promise<(string | number)[]>;

/** `file`: beside this one. */
export function readScript(file: string): RunScript {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  const hash = createHash("sha1").update(text).digest("hex");
  return async (redis, keys, words) => {
    try {
      return await redis.evalsha(hash, keys.length, ...keys, ...words) as (string | number)[];
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return await redis.eval(text, keys.length, ...keys, ...words) as (string | number)[];
    }
  };
}
