/** Which of the parts behind a process are ready, asked again and again by grpc.health.v1. */
import { createClient } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../../proto/gen/grpc/health/v1/health_pb.ts";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { PeerConfig } from "../mesh-config.ts";
import { repeatedly } from "../repeatedly.ts";
import type { Readiness } from "../telemetry/metrics-server.ts";
import { openPeers } from "./peers.ts";

export interface PartsWatch {
  /** As of the last answers: ready when each part has a ready process; else it names the parts that have none. */
  health(): Readiness;
  close(): void;
}

/** `parts` by name. Resolves after the first answers. */
export async function watchParts(parts: ReadonlyMap<string, PeerConfig>, clock: Clock): Promise<PartsWatch> {
  const asked = [...parts].map(([name, peer]) => askPart(name, peer, clock));
  let away: readonly string[] = [];
  async function look(): Promise<number> {
    const answers = await Promise.all(asked.map((part) => part.ready()));
    away = asked.flatMap(({ name }, at) => answers[at] ? [] : [name]);
    return away.length > 0 ? limits.rpcHealthCheckMs : limits.partsReadyLookMs;
  }
  const end = repeatedly(clock, await look(), look);
  return {
    health: () => away.length === 0 ? { ready: true } : { ready: false, reason: `No ${away.join(" and no ")} process is ready` },
    close() {
      end();
      for (const part of asked) part.close();
    },
  };
}

function askPart(name: string, { addresses, ...security }: PeerConfig, clock: Clock) {
  const peers = openPeers({ addresses, ...security, clock });
  return {
    name,
    /** One process suffices. */
    async ready(): Promise<boolean> {
      const clients = peers.current().map(({ transport }) => createClient(Health, transport));
      const answers = await Promise.allSettled(clients.map((client) => client.check({}, { timeoutMs: limits.rpcConnectMsMax })));
      return answers.some((answer) => answer.status === "fulfilled" && answer.value.status === ServingStatus.SERVING);
    },
    close: () => peers.close(),
  };
}
