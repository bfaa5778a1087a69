/** GET /console/processes and /console/doctor: which processes run, of which build and last seen when, and what the one that answers finds wrong. */
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

/** As `heddle doctor` says it, as far as this process can look. */
export async function handleConsoleDoctor(_: Call, { console }: Pick<Parts, "console">): Promise<Reply> {
  const { at, findings } = await console.examined();
  return success({ examined_at: new Date(at).toISOString(), findings });
}
