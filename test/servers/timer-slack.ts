/** Programs started with timers that are less exact, as docs/decisions/0082 and 0084 say of Cassandra and NATS, where threads wake up to look for work by the thousand. */

export const timerSlackNs = 500_000;

/** Of a shell, which becomes the program then; also in the manifests. */
export const timerSlackScript = `echo ${timerSlackNs} > /proc/self/timerslack_ns`;

/** Threads have the timer slack of the one that began them, and a shell that becomes the program leaves it its own. Where there is no such file it starts as it is. */
export function withTimerSlack(command: readonly string[]): string[] {
  return ["sh", "-c", `{ ${timerSlackScript}; } 2>/dev/null; exec "$@"`, "sh", ...command];
}
