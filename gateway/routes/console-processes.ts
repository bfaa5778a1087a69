/** GET /console/processes: which processes of the installation run, of which build, and when each was last heard of. */
import { limits } from "../../platform/limits.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

export async function handleConsoleProcesses(_: Call, { console }: Pick<Parts, "console">): Promise<Reply> {
  const processes = await console.processes();
  return success({
    processes: processes.map(({ startedAt, heardAt, ...process }) => ({
      ...process,
      started_at: new Date(startedAt).toISOString(),
      heard_at: new Date(heardAt).toISOString(),
      late: console.now() - heardAt > limits.processLateMs,
    })),
  });
}
