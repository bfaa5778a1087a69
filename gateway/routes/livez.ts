/** GET /livez: the process answers. */
import type { HttpAnswer } from "../http-message.ts";

export function handleLivez(): HttpAnswer {
  return { status: 200, headers: [], body: '{"status":"ok","message":"success"}' };
}
