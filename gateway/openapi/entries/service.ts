/** DATA: what is written by hand about the routes that need no key: health, documents, unsubscribe links. */
import { entriesOf, type Entry, type OwnEntry, type Parameter } from "./entry.ts";
import { object, type Schema, success, text } from "../schemas/schema.ts";

const notReady = 503;
const html = "text/html; charset=utf-8";
const token: Parameter = {
  in: "path",
  name: "token",
  description: "Names workspace, address and group; made by Heddle.",
  required: true,
  schema: text(),
};

export const serviceEntries = entriesOf({ tag: "Service", extension: true }, [
  {
    route: "GET /unsubscribe/:token",
    operationId: "showUnsubscribePage",
    tag: "Pages",
    summary: "Page of an unsubscribe link",
    description: "Shows a button and changes nothing: mail scanners follow links. With `text/html` in `Accept` refusals are pages too.",
    parameters: [token],
    answer: text(),
    answerType: html,
    reasons: ["NOT_FOUND", "INPUT_INVALID"],
    examples: [{ name: "a link", parameters: { token: "unsubscribe-token" } }],
  },
  {
    route: "POST /unsubscribe/:token",
    operationId: "unsubscribe",
    tag: "Pages",
    summary: "Unsubscribe with one click (RFC 8058)",
    description:
      "The link is the proof: what the body says is not looked at. With `text/html` in `Accept` the answer, also a refusal, is a page.",
    parameters: [token],
    body: object({ "List-Unsubscribe": text() }),
    bodyType: "application/x-www-form-urlencoded",
    bodyOptional: true,
    answer: success(),
    otherAnswerTypes: [html],
    reasons: ["NOT_FOUND", "INPUT_INVALID"],
    examples: [{
      name: "one click",
      parameters: { token: "unsubscribe-token" },
      body: "List-Unsubscribe=One-Click",
      answer: { message: "success" },
    }],
  },
  {
    route: "GET /livez",
    operationId: "isAlive",
    summary: "Does the process answer?",
    answer: statusAnswer(),
    examples: [{ name: "alive", answer: { status: "ok", message: "success" } }],
  },
  {
    route: "GET /readyz",
    operationId: "isReady",
    summary: "Can what was accepted be applied and read?",
    description:
      "While records wait for a human, `reason` names them; all else is applied and read. What a full or absent log does to writes is said by their own answers.",
    answer: statusAnswer(),
    otherStatuses: [{ status: notReady, description: "Not ready; `message` names the part that fails." }],
    examples: [{ name: "ready", answer: { status: "ready", message: "success" } }],
  },
  {
    route: "GET /readyz/gateway",
    operationId: "isGatewayReady",
    summary: "Does this gateway take requests?",
    description:
      "For load balancers and probes: 503 from when the process was asked to end. What stands behind it counts for `/readyz` alone: while a part of Heddle is away, its routes answer 503 and all others work.",
    answer: statusAnswer(),
    otherStatuses: [{ status: notReady, description: "It is about to end." }],
    examples: [{ name: "ready", answer: { status: "ready", message: "success" } }],
  },
  {
    route: "GET /openapi.json",
    operationId: "getOpenapi",
    summary: "This document",
    answer: object({ openapi: text() }, ["openapi"]),
    headers: ["ETag"],
    otherStatuses: [{ status: 304, description: "The caller has this version." }],
    examples: [{ name: "document" }],
  },
  docs("GET /docs", "showDocs", "First steps"),
  docs("GET /docs/errors", "showErrors", "What each error means"),
  {
    ...docs("GET /docs/:page", "showGuide", "A guide, the list of all calls, or where to try them"),
    parameters: [{ in: "path", name: "page", description: "Name of a guide, `calls` or `try`.", required: true, schema: text() }],
    reasons: ["ROUTE_UNKNOWN"],
    examples: [{ name: "a guide", parameters: { page: "users" } }],
  },
  {
    ...docs("GET /docs/calls/:operation", "showCall", "A call, with a request in four languages"),
    parameters: [{ in: "path", name: "operation", description: "Its operationId.", required: true, schema: text() }],
    reasons: ["ROUTE_UNKNOWN"],
    examples: [{ name: "a call", parameters: { operation: "trackUsers" } }],
  },
  {
    ...docs("GET /docs/assets/:name", "getDocsAsset", "Scripts and styles of the pages"),
    parameters: [{ in: "path", name: "name", description: "Name of a file.", required: true, schema: text() }],
    answerType: "text/javascript; charset=utf-8",
    otherAnswerTypes: ["text/css; charset=utf-8", "image/png", "application/json"],
    reasons: ["ROUTE_UNKNOWN"],
    examples: [{ name: "a script", parameters: { name: "docs.js" } }],
  },
]);

function statusAnswer(): Schema {
  return object({ status: text(), message: text(), reason: text("What waits for a human") }, ["status", "message"]);
}

function docs(route: Entry["route"], operationId: string, summary: string): OwnEntry {
  return {
    route,
    operationId,
    summary,
    answer: text(),
    answerType: html,
    headers: ["ETag"],
    otherStatuses: [{ status: 304, description: "The caller has this version." }],
    examples: [{ name: "page" }],
  };
}
