/** /livez and /readyz: whether the process answers, and whether it can do its work. */
import type { Readiness } from "../../platform/telemetry/metrics-server.ts";
import type { HttpAnswer } from "../http/http-message.ts";
import type { Deps } from "../routing/route.ts";

export function handleLivez(): HttpAnswer {
  return { status: 200, headers: [], body: '{"status":"ok","message":"success"}' };
}

/** Accepted data can be applied and read; else the failing part is named. Records that wait for a human are named too. */
export function handleReadyz({ health }: Pick<Deps, "health">): HttpAnswer {
  return answerOf(health());
}

/** This process takes requests, whatever stands behind it, whose absence each route answers for itself. */
export function handleReadyzGateway({ ownHealth }: Pick<Deps, "ownHealth">): HttpAnswer {
  return answerOf(ownHealth());
}

function answerOf({ ready, reason }: Readiness): HttpAnswer {
  if (ready) return { status: 200, headers: [], body: JSON.stringify({ status: "ready", message: "success", ...(reason && { reason }) }) };
  const message = reason ?? "Not ready";
  return { status: 503, headers: ["Retry-After", "1"], body: JSON.stringify({ status: "not_ready", message }) };
}
