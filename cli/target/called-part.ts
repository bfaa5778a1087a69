/** Parts of the mesh as commands call them. */
import type { DescService } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { limits } from "../../platform/limits.ts";
import { type PeerConfig, readOptionalPeer } from "../../platform/mesh-config.ts";
import type { ClientOptions, RpcClient } from "../../platform/rpc/client.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { readSettings } from "./settings.ts";

/** Where a part's data is. */
export interface PartTarget {
  /** Of the data folder; without it the part is called where the environment says that it is. */
  readonly database: Database | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/** A call never lasts longer than a drain may. `caller`: in whose name; the gateway's unless given. */
export async function withCalled<Service extends DescService, T>(
  service: Service,
  { caller = "gateway", ...peer }: PeerConfig & { readonly caller?: "gateway" | "operator" },
  work: (client: Client<Service>) => Promise<T>,
): Promise<T> {
  const { client, close } = await connectPart(service, { ...peer, caller, deadlineMs: limits.drainMsMax });
  try {
    return await work(client);
  } finally {
    close();
  }
}

/** A command stays until the client is closed: its timers keep no process alive, so it would end between two attempts at a call. */
export async function connectPart<Service extends DescService>(service: Service, options: ClientOptions): Promise<RpcClient<Service>> {
  // Of no use to a command on a data folder
  const { connectClient } = await import("../../platform/rpc/client.ts");
  const { client, close } = connectClient(service, options);
  const staying = setInterval(() => {}, limits.drainMsMax);
  return {
    client,
    close() {
      clearInterval(staying);
      close();
    },
  };
}

/** Undefined where the environment does not say where the part is. Called in the name of the gateway. */
export async function withOptionalPart<Service extends DescService, T>(
  service: Service,
  { part, env = process.env }: { readonly part: string; readonly env?: NodeJS.ProcessEnv | undefined },
  work: (client: Client<Service>) => Promise<T>,
): Promise<T | undefined> {
  const { peer } = readSettings(env, (reader) => ({ peer: readOptionalPeer(reader, part) }));
  return peer === undefined ? undefined : await withCalled(service, peer, work);
}
