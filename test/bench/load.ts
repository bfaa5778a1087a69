/** A closed-loop load generator on node:http: so many connections, so many requests, every latency kept. */
import { Agent, request as httpRequest } from "node:http";

export interface LoadOptions {
  readonly url: string;
  readonly connections: number;
  readonly requests: number;
  /** Requests a second over all connections, whose times count from when they were due; 0: as fast as answers come. */
  readonly perSecond?: number;
  /** The nth request. */
  readonly make: (n: number) => Asked;
  /** Called with each answer. */
  readonly onAnswer?: (n: number, answer: Answer) => void | Promise<void>;
  /** Once it is true no more requests are begun. */
  readonly isOver?: () => boolean;
}

export interface Asked {
  /** POST unless it says otherwise. */
  readonly method?: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly body: Buffer;
  readonly headers: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: Buffer;
}

export interface LoadResult {
  readonly seconds: number;
  /** Milliseconds, sorted. */
  readonly latencies: Float64Array;
  readonly failed: number;
}

export async function load(options: LoadOptions): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const latencies: number[] = [];
  let next = 0;
  let failed = 0;
  const began = performance.now();
  const worker = async (): Promise<void> => {
    for (;;) {
      const n = next++;
      if (n >= options.requests) return;
      const due = options.perSecond ? began + (n / options.perSecond) * 1000 : undefined;
      if (due !== undefined) await until(due);
      if (options.isOver?.()) return;
      const start = due ?? performance.now();
      const answer = await send(agent, options.url, options.make(n));
      latencies.push(performance.now() - start);
      if (answer.status >= 300) failed++;
      await options.onAnswer?.(n, answer);
    }
  };
  await Promise.all(Array.from({ length: options.connections }, worker));
  const seconds = (performance.now() - began) / 1000;
  agent.destroy();
  return { seconds, latencies: Float64Array.from(latencies).sort(), failed };
}

/** The value below which the fraction `p` of sorted values lies. */
export function percentile(sorted: Float64Array, p: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}

/** As in `p50 1.2 ms, p99 3.4 ms`. */
export function latencyText(latencies: ArrayLike<number>, fractions: readonly number[] = [0.5, 0.99]): string {
  const sorted = Float64Array.from(latencies).sort();
  return fractions.map((p) => `p${p * 100} ${percentile(sorted, p).toFixed(1)} ms`).join(", ");
}

export function send(
  agent: Agent,
  url: string,
  { method = "POST", path, body, headers }: Asked,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url + path, {
      agent,
      method,
      headers: { "content-type": "application/json", "content-length": body.length, ...headers },
    }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** Sends a read until its answer is not behind: what was answered before it, up to its position where it has one, is applied then. */
export async function sendUntilApplied(agent: Agent, url: string, asked: Asked): Promise<Answer> {
  for (;;) {
    const answer = await send(agent, url, asked);
    if (answer.status >= 300) throw new Error(`A read was answered ${answer.status}: ${answer.body.toString()}`);
    if (answer.headers["x-heddle-read"] === undefined) return answer;
  }
}

/** Waits for a time of `performance.now()`. */
export function until(at: number): Promise<void> {
  const wait = at - performance.now();
  return wait <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, wait));
}
