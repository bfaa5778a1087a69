/**
 * GET /readyz: accepted data can be applied and read; else the failing part is named. Records that wait for a human are named too.
 * GET /readyz/gateway: this process takes requests, whatever stands behind it, whose absence each route answers for itself.
 */
import type { HttpAnswer } from "../http-message.ts";
import type { Readiness } from "../../platform/telemetry/metrics-server.ts";
import type { Parts } from "../route.ts";

export function handleReadyz({ health }: Pick<Parts, "health">): HttpAnswer {
  return answerOf(health());
}

export function handleReadyzGateway({ ownHealth }: Pick<Parts, "ownHealth">): HttpAnswer {
  return answerOf(ownHealth());
}

function answerOf({ ready, reason }: Readiness): HttpAnswer {
  if (ready) return { status: 200, headers: [], body: JSON.stringify({ status: "ready", message: "success", ...(reason && { reason }) }) };
  const message = reason ?? "Not ready";
  return { status: 503, headers: ["Retry-After", "1"], body: JSON.stringify({ status: "not_ready", message }) };
}
