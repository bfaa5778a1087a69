/** A served part for clients of other kinds: prints its port as a line, runs until its standard input ends. */
import process from "node:process";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { systemClock } from "../clock.ts";
import { silentLogger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import { rpcRoute } from "./guard.ts";
import { serveRpc } from "./server.ts";

const implementation = rpcRoute(ProfileService, {
  trackUsers({ scope, bodyJson }, { signal }) {
    const errors = Array.from({ length: bodyJson.length }, (_, index) => ({ type: "'quantity' is not valid", index }));
    switch (scope?.requestId) {
      case "refuse":
        throw new Refusal("NOTHING_VALID", "Nichts gültig", { errors });
      case "fail":
        throw new Error("secret in a fault");
      case "wait":
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
      default:
        return { position: `p-${scope?.workspaceId}`, attributesProcessed: bodyJson.length };
    }
  },
});

const server = await serveRpc({
  routes: [implementation],
  host: "127.0.0.1",
  port: 0,
  callers: new Map([[ProfileService.typeName, ["foreign"]]]),
  clock: systemClock,
  logger: silentLogger,
  reflection: true,
  health: () => ({ ready: true }),
});
process.stdout.write(`${server.port}\n`);
process.stdin.on("end", async () => {
  await server.close();
  process.exit(0);
});
process.stdin.resume();
