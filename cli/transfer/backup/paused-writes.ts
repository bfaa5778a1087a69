/** The mesh while no gateway of it takes writes. */
import { openMeshAccess, readMeshAccess } from "../../../gateway/mesh-access.ts";
import { systemClock } from "../../../platform/clock.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { duringPause } from "./during-pause.ts";
import { readSettings } from "../../target/settings.ts";

/** Throws where the pause ran out during the work, as something may have been written then. */
export async function withPausedWrites<T>(env: NodeJS.ProcessEnv, work: () => Promise<T>): Promise<T> {
  const clock = systemClock;
  const { writes, close } = await openMeshAccess(readSettings(env, readMeshAccess), { clock, logger: silentLogger });
  try {
    return await duringPause({ writes, clock }, work);
  } finally {
    await close();
  }
}
