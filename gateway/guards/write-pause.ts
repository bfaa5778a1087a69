/** While a backup is made, callers who would write must retry later. */
import { limits } from "../../platform/limits.ts";
import { Refusal } from "../../platform/refusal.ts";
import type { Access } from "../access/access.ts";
import type { HttpRequest } from "../http/http-message.ts";

/** Refuses SERVICE_UNAVAILABLE: nothing was taken, and no limit was spent. */
export function refuseWhilePaused(access: Pick<Access, "writesPaused">): void {
  if (!access.writesPaused()) return;
  const details = { retryAfterSeconds: limits.writePauseRetryAfterSeconds };
  throw new Refusal("SERVICE_UNAVAILABLE", "Writes are paused while a backup is made; nothing was taken", details);
}

/** What the rows of routes say. */
interface Pausing {
  readonly takes: "write" | "read";
  readonly duringPause?: true;
}

/** True of a route that writes, unless it stores nothing while writes are paused. */
export function isPaused({ takes, duringPause }: Pausing): boolean {
  return takes === "write" && duringPause !== true;
}

type Pauses = Pick<Access, "writesPaused" | "awaitCurrent">;

/** Of a write: the body may take longer to come than a backup waits for what was begun before. */
export async function readUnlessPaused(request: Pick<HttpRequest, "readBody">, bytesMax: number, access: Pauses): Promise<Uint8Array> {
  const body = await request.readBody(bytesMax);
  await access.awaitCurrent();
  refuseWhilePaused(access);
  return body;
}

/** The body, as large as the route takes it. */
export function readBodyOf(
  request: Pick<HttpRequest, "readBody">,
  route: Pausing & { readonly bodyBytesMax: number },
  access: Pauses,
): Promise<Uint8Array> {
  return isPaused(route) ? readUnlessPaused(request, route.bodyBytesMax, access) : request.readBody(route.bodyBytesMax);
}
