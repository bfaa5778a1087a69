/** DATA: what is written by hand about the console's sessions, keys and audit log. */
import { limits } from "../../../platform/limits.ts";
import { entriesOf } from "./entry.ts";
import { flag, list, object, oneOfTexts, success, text, whole } from "../schemas/schema.ts";

const time = text("ISO 8601, UTC.");
const session = {
  key: object({ id: text(), name: text(), permissions: list(text()) }),
  workspace: object({ id: text(), name: text(), company: text() }),
  permission_names: list(text(), "All there are."),
};
const secure = object({ secure: flag("`false` where the page came without TLS: then the cookie is not marked as `Secure`.") });
const cookie =
  "The cookie is `HttpOnly` and `SameSite=Strict`. It is taken on every route for keys, beside the header `X-Heddle-Console`, from " +
  "the console's own page alone.";
const key = object({
  id: text(),
  name: text(),
  permissions: list(text()),
  ip_allow: list(text()),
  created_at: time,
  state: oneOfTexts(["valid", "ends", "revoked"]),
  ends_at: text("When it was revoked, or when its overlap ends."),
  last_used_at: text("In lists: the hour in which it was used last, on any gateway, by itself or by a session. Absent: no use is known."),
}, ["id", "name", "permissions", "ip_allow", "created_at", "state"]);
const secret = text("Of the new key, shown once: only its SHA-256 is stored.");

export const consoleSessionEntries = entriesOf({ tag: "Service", extension: true }, [
  {
    route: "GET /console/declaration",
    operationId: "compareDeclaration",
    summary: "In what a workspace differs from the file that was applied last",
    description: "What `heddle apply --prune` of that file would do to the workspace, its keys, subscription groups and teams. " +
      "Translations and preference centers are not compared.",
    answer: success({
      state: oneOfTexts(["compared", "none", "too_large"]),
      applied_at: time,
      differences: list(object({
        difference: oneOfTexts(["missing", "differs", "not_declared"]),
        what: text("Such as `API key`."),
        path: text("Names from the company down."),
        id: text(),
        fields: list(object({ field: text(), here: {}, declared: {} }, ["field", "here", "declared"])),
      }, ["difference", "what", "path"])),
    }, ["state", "differences"]),
    reasons: ["STATE_CONFLICT"],
    examples: [{ name: "of the demo" }],
  },
  {
    route: "GET /console/session",
    operationId: "getConsoleSession",
    summary: "Whose key it is that asks, and what it may do",
    answer: success({ ...session, expires_at: text("Of the session; absent where the key itself was sent.") }),
    examples: [{ name: "by key" }],
  },
  {
    route: "POST /console/session",
    operationId: "openConsoleSession",
    summary: "Signs a browser in with the key that is sent",
    description: `Sets a cookie that is good for ${limits.consoleSessionMs / 3_600_000} hours, and no longer than the key. ${cookie}`,
    body: secure,
    headers: ["Set-Cookie"],
    answer: success({ ...session, expires_at: time }),
    reasons: ["NOT_FOUND"],
    examples: [{ name: "a page without TLS", body: { secure: false } }],
  },
  {
    route: "POST /console/session/end",
    operationId: "endConsoleSession",
    summary: "Signs this browser out",
    body: secure,
    headers: ["Set-Cookie"],
    answer: success({}),
    examples: [{ name: "a page without TLS", body: { secure: false }, answer: { message: "success" } }],
  },
  {
    route: "POST /console/session/end-all",
    operationId: "endConsoleSessions",
    summary: "Ends all sessions of the key, in every browser",
    body: secure,
    headers: ["Set-Cookie"],
    answer: success({}),
    reasons: ["NOT_FOUND"],
    examples: [{ name: "a page without TLS", body: { secure: false }, answer: { message: "success" } }],
  },
  {
    route: "GET /console/keys",
    operationId: "listKeys",
    summary: "The API keys of the workspace, without their secrets",
    answer: success({ keys: list(key) }),
    examples: [{ name: "keys" }],
  },
  {
    route: "POST /console/keys",
    operationId: "createKey",
    summary: "Makes an API key",
    description: "It may do what the key that makes it may do, from the addresses from which that may be used, and no more.",
    body: object({ name: text(), permissions: list(text()) }, ["name", "permissions"]),
    answer: success({ key, secret }),
    reasons: ["ALREADY_EXISTS", "NOT_FOUND"],
    examples: [{
      name: "a key that may only look",
      body: { name: "dashboard", permissions: ["console.view"] },
      answer: {
        key: {
          id: "key_dashboard",
          name: "dashboard",
          permissions: ["console.view"],
          ip_allow: [],
          created_at: "2026-11-23T10:00:00.000Z",
          state: "valid",
        },
        secret: "hdl_the-secret-of-the-key",
        message: "success",
      },
    }],
  },
  {
    route: "POST /console/keys/rotate",
    operationId: "rotateKey",
    summary: "Makes a key that follows another, with its name and permissions",
    description: "The former one stays good for `overlap_seconds`, a day unless given.",
    body: object({ id: text(), overlap_seconds: whole() }, ["id"]),
    answer: success({ key, secret }),
    reasons: ["NOT_FOUND", "STATE_CONFLICT"],
    examples: [{ name: "an hour of overlap", body: { id: "key_dashboard", overlap_seconds: 3_600 } }],
  },
  {
    route: "POST /console/keys/revoke",
    operationId: "revokeKey",
    summary: "Ends a key for good, at once",
    description: "On this gateway at once, on others of the mesh within a second.",
    body: object({ id: text() }, ["id"]),
    answer: success({ key }),
    reasons: ["NOT_FOUND"],
    examples: [{ name: "a key that may only look", body: { id: "key_dashboard" } }],
  },
  {
    route: "GET /console/actions",
    operationId: "listConsoleActions",
    summary: "What people did at the console, and by whose key",
    description:
      `Who signed in, every write by a session of a browser and its exports of people, refused ones too, the newest first. Of the last ${
        limits.consoleActionsKeepMs / 86_400_000
      } days the last ${limits.consoleActionsMax} are shown; the log has each as \`console_action\`.`,
    answer: success({
      actions: list(object({
        time,
        key: object({ id: text(), name: text() }),
        request_id: text(),
        method: text(),
        route: text("The pattern of the route."),
        status: whole(),
        reason: text("Why it was refused; absent for a success."),
      }, ["time", "key", "request_id", "method", "route", "status"])),
    }),
    examples: [{ name: "actions" }],
  },
]);
