/** All bindings of service calls pass the one suite. */
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { systemClock } from "../clock.ts";
import { silentLogger } from "../logger.ts";
import { connectClient } from "./client.ts";
import { directClient } from "./direct.ts";
import { rpcRoute } from "./guard.ts";
import { describeBinding, type OpenBinding } from "./rpc-contract.ts";
import { serveRpc } from "./server.ts";

const deps = { clock: systemClock, logger: silentLogger };

describeBinding("direct", async (implementation) => ({ client: directClient(ProfileService, implementation), close: async () => {} }));

describeBinding("HTTP/2", overHttp2());
describeBinding("HTTP/2, shared", overHttp2(["trackUsers"]));

function overHttp2(shared: readonly string[] = []): OpenBinding {
  return async (implementation) => {
    const server = await serveRpc({
      routes: [rpcRoute(ProfileService, implementation)],
      host: "127.0.0.1",
      port: 0,
      callers: new Map([[ProfileService.typeName, ["gateway"]]]),
      health: () => ({ ready: true }),
      ...deps,
    });
    const { client, close } = connectClient(ProfileService, { addresses: [server.url], caller: "gateway", deadlineMs: 10_000, shared });
    return {
      client,
      async close() {
        close();
        await server.close();
      },
    };
  };
}
