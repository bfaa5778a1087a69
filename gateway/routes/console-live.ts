/** GET /console/live: requests of the workspace as they come, as events of the server; as JSON what came lately. */
import { filterOf } from "../decode/live-filter.ts";
import { success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

type RouteDeps = Pick<Deps, "console">;

export async function handleConsoleLive(call: Call, deps: RouteDeps): Promise<Reply> {
  return viewOf(call, deps, false);
}

/** With what was sent, and what people are called: for keys that may see it. As JSON there is none of it, as none of it is kept. */
export async function handleConsoleLiveBodies(call: Call, deps: RouteDeps): Promise<Reply> {
  return viewOf(call, deps, true);
}

function viewOf({ spent, query, headers }: Call, { console }: RouteDeps, personal: boolean): Reply {
  const { caller } = spent.permit;
  const filter = filterOf(query);
  if (!(headers.get("accept") ?? "").includes("text/event-stream")) {
    return success({ requests: console.live.recent(caller.holder, filter) });
  }
  const stream = console.live.view(caller, { filter, personal, lastId: headers.get("last-event-id") });
  // Some proxies buffer answers unless this header forbids it
  return { body: "", headers: ["X-Accel-Buffering", "no", "Vary", "Accept"], stream };
}
