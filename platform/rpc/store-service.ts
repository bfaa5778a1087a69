/** A service without lanes as a process of the mesh: its keyspace, its RPCs, and all of it closed in the opposite order. */
import { openKeyspace } from "../cassandra/keyspace.ts";
import type { Session } from "../cassandra/session.ts";
import type { RpcServerConfig, StoreConfig } from "../mesh-config.ts";
import { openAll, type Opened } from "../open-all.ts";
import type { Readiness } from "../telemetry/metrics-server.ts";
import type { RpcRoute } from "./guard.ts";
import type { PartEnds, ServedPart } from "./served-part.ts";
import { serveRpc } from "./server.ts";

/** Refuses STORE_UNAVAILABLE where Cassandra cannot be reached, and what `open` refuses. */
export async function serveStoreService(
  config: StoreConfig & { readonly rpc: RpcServerConfig; readonly schemaFolder: string },
  { clock, logger, telemetry, tenants }: PartEnds,
  open: (session: Session, opened: Opened) => Promise<readonly RpcRoute[]>,
): Promise<ServedPart> {
  return await openAll(async (opened) => {
    const { session, watch, close: closeStore } = await openKeyspace(config, config.schemaFolder, clock);
    opened.push(closeStore);
    const storeWatch = watch();
    const routes = await open(session, opened);
    function health(): Readiness {
      return storeWatch.there ? { ready: true } : { ready: false, reason: "Cassandra is away" };
    }
    const callers = new Map(routes.map(({ service }) => [service.typeName, config.rpc.callers]));
    const server = await serveRpc({ routes, ...config.rpc, callers, clock, logger, telemetry, health, tenants });
    opened.push(() => server.close());
    return { url: server.url, health };
  });
}
