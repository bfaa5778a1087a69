/** Every example of the OpenAPI document is sent to a real server, in order, and answered as the document says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { entries, schemas } from "../../gateway/openapi/entries.ts";
import type { Entry, Example } from "../../gateway/openapi/entries/entry.ts";
import type { Schema } from "../../gateway/openapi/schemas/schema.ts";
import type { Route } from "../../gateway/routing/route.ts";
import { routeTable } from "../../gateway/route-table.ts";
import { document, mustBeDocumented, operationOf, shapeProblem } from "../documented.ts";
import { made, openExampleIds } from "../example-ids.ts";
import { demoKey, repository } from "../heddle.ts";
import { heddleSuite } from "../suite.ts";

const token = "scim-token-of-the-examples";
/** The declaration that docs/declaration.md starts from, with secrets that the test knows. */
const declaration = readFileSync(join(repository, "examples/demo.yaml"), "utf8")
  .replace('permissions: ["*"] }', `permissions: ["*", "console.bodies", "console.operate"], secret: ${demoKey} }`)
  .replace("origin: okta,", `origin: okta, secret: ${token},`);
const suite = heddleSuite({ apply: declaration });
const { note, replaced, prepare } = openExampleIds(() => suite.heddle);
let position = "";

test("GET /openapi.json is the document of the routes, and cheap for whoever has it", async () => {
  const answer = await fetch(`${suite.heddle.url}/openapi.json`);
  expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
    200,
    "application/json",
    "no-cache",
  ]);
  expect(await answer.json()).toEqual(document);
  const etag = answer.headers.get("etag") ?? "";
  const again = await fetch(`${suite.heddle.url}/openapi.json`, { headers: { "if-none-match": etag } });
  expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
  const head = await fetch(`${suite.heddle.url}/openapi.json`, { method: "HEAD" });
  expect([head.status, await head.text(), head.headers.get("etag")]).toEqual([200, "", etag]);
});

test.each(["/docs", "/docs/errors", "/docs/try", "/docs/calls", "/docs/calls/trackUsers", "/docs/users", "/docs/typescript"])(
  "GET %s is a page that runs nothing inline, and all it loads is here",
  async (path) => {
    const answer = await fetch(suite.heddle.url + path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; (?!.*unsafe)/);
    const html = await answer.text();
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\/(?!127\.0\.0\.1)/);
    const loaded = [...html.matchAll(/<(?:script|link)[^>]*\s(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? "");
    expect(loaded.length).toBeGreaterThan(1);
    for (const url of loaded) {
      const file = await fetch(suite.heddle.url + url);
      expect([file.status, file.headers.get("x-content-type-options"), (await file.arrayBuffer()).byteLength > 0]).toEqual([
        200,
        "nosniff",
        true,
      ]);
    }
  },
);

for (const entry of entries) {
  for (const example of entry.examples) {
    test(`${entry.route}: ${example.name}`, async () => {
      await prepare(entry);
      const route = routeNamed(entry.route);
      const operation = operationOf(route ?? { method: "", path: "" });
      const content = Object.values(operation?.requestBody?.content ?? {})[0];
      if (content && typeof example.body !== "string") expect(shapeProblem(content.schema, example.body)).toBeUndefined();
      const answer = await send(entry, example, route?.guard);
      const text = await answer.text();
      expect(String(answer.status), text).toMatch(/^2/);
      mustBeDocumented({
        method: entry.route.split(" ")[0] ?? "",
        path: new URL(answer.url).pathname,
        status: answer.status,
        headers: answer.headers,
        text,
      });
      if (example.answer === undefined) return;
      const body: unknown = JSON.parse(text);
      note(example.answer, body);
      expect(alike(body, example.answer)).toEqual(alike(example.answer, body));
    });
  }
}

for (const entry of entries.filter(({ route }) => route.endsWith("/:token"))) {
  test(`${entry.route}: what people and programs are answered is what the document says`, async () => {
    const [method = ""] = entry.route.split(" ");
    const good = targetOf(entry, entry.examples[0] ?? { name: "none" }, {});
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const asPerson = { accept: "text/html" };
    const statuses: number[] = [];
    async function ask(path: string, headers: Record<string, string>, body = "") {
      const answer = await fetch(suite.heddle.url + path, { method, headers, ...(method === "POST" ? { body } : {}) });
      const seen = { method, path, status: answer.status, headers: answer.headers, text: await answer.text() };
      mustBeDocumented(seen);
      statuses.push(seen.status);
    }
    for (const accept of [{}, asPerson]) {
      await ask(good, { ...form, ...accept });
      await ask(good.slice(0, -3), { ...form, ...accept });
      if (method === "POST") await ask(good, { ...form, ...accept, "content-encoding": "magic" });
      if (method === "POST") await ask(good, { ...form, ...accept, "content-encoding": "gzip" }, "no gzip");
    }
    const expected = method === "POST" ? [200, 404, 415, 400] : [200, 404];
    expect(statuses).toEqual([...expected, ...expected]);
  });
}

/** They need one of several members, whichever it is. */
const needOneOf = [
  "POST /console/rejected/admit",
  "POST /console/users",
  "POST /subscription/user/status",
  "POST /users/delete",
  "POST /users/export/ids",
  "POST /users/identify",
  "POST /users/track",
  "POST /users/track/bulk",
  "POST /users/track/sync",
];

test("where an empty body is refused, the document says what is required", async () => {
  const silent: string[] = [];
  for (const entry of entries.filter(({ route, body, bodyType }) => body && bodyType === undefined && !route.includes(":"))) {
    const { status } = await send(entry, { name: "empty", body: {} }, routeNamed(entry.route)?.guard);
    if (status === badRequest && !requiresSomething(entry.body ?? {})) silent.push(entry.route);
  }
  expect(silent.toSorted()).toEqual(needOneOf.toSorted());
});

/** They need one of several parameters, whichever it is. */
const needOneParameter = [
  "GET /canvas/translations",
  "GET /email/hard_bounces",
  "GET /email/unsubscribes",
  "GET /sms/invalid_phone_numbers",
  "GET /subscription/user/status",
];

test("where a question without parameters is refused, the document says which are required", async () => {
  const silent: string[] = [];
  for (const entry of entries.filter(({ route }) => route.startsWith("GET ") && !route.includes(":"))) {
    const { status } = await send(entry, { name: "none" }, routeNamed(entry.route)?.guard);
    if (status === badRequest && !entry.parameters?.some(({ required }) => required)) silent.push(entry.route);
  }
  expect(silent.toSorted()).toEqual(needOneParameter);
});

const badRequest = 400;

test("the document has each attribute of a dashboard user: who puts back what was read erases what a client does not know", async () => {
  const answer = await fetch(`${suite.heddle.url}/scim/v2/Schemas`, { headers: callHeaders("scim") });
  const found = await answer.json() as { Resources: { attributes: { name: string }[] }[] };
  const names = found.Resources.flatMap(({ attributes }) => attributes.map(({ name }) => name));
  expect(names).toContain("userName");
  for (const schema of ["ScimNewUser", "ScimReplacedUser", "ScimUser"]) {
    const has = Object.keys(schemas[schema]?.properties ?? {});
    expect(names.filter((name) => !has.includes(name) && !(schema !== "ScimUser" && readOnly.includes(name))), schema).toEqual([]);
  }
});

/** Of a dashboard user; passed over where they are sent. */
const readOnly = ["id", "lastSignInAt", "meta"];

function requiresSomething({ $ref, required }: Schema): boolean {
  if ($ref !== undefined) return requiresSomething(schemas[$ref.split("/").at(-1) ?? ""] ?? {});
  return required !== undefined;
}

function routeNamed(name: string): Route | undefined {
  return routeTable.find(({ method, path }) => `${method} ${path}` === name);
}

async function send(entry: Entry, example: Example, guard: string | undefined): Promise<Response> {
  const [method = ""] = entry.route.split(" ");
  const headers = callHeaders(guard);
  const target = targetOf(entry, example, headers);
  const body = bodyOf(example.body);
  if (body !== null) headers["content-type"] = entry.bodyType ?? (guard === "scim" ? "application/scim+json" : "application/json");
  const answer = await fetch(`${suite.heddle.url}${target}`, { method, headers, body });
  position = answer.headers.get("x-heddle-position") ?? position;
  return answer;
}

/** Path and query with the example's parameters; those of the head go into `headers`. */
function targetOf(entry: Entry, example: Example, headers: Record<string, string>): string {
  let path = entry.route.split(" ")[1] ?? "";
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(example.parameters ?? {})) {
    const where = entry.parameters?.find((parameter) => parameter.name === name)?.in;
    const values = [value].flat().map((each) => replaced(String(each)));
    if (where === "path") path = path.replace(`:${name}`, encodeURIComponent(values[0] ?? ""));
    else if (where === "header") headers[name] = values[0] ?? "";
    else values.forEach((each) => query.append(name, each));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

function bodyOf(body: unknown): string | null {
  if (body === undefined) return null;
  return typeof body === "string" ? body : replaced(JSON.stringify(body));
}

function callHeaders(guard: string | undefined): Record<string, string> {
  if (guard === "scim") return { authorization: `Bearer ${token}`, "x-request-origin": "okta" };
  return guard === "key" ? { authorization: `Bearer ${demoKey}`, "x-heddle-position": position } : {};
}

/** The value as far as the other one speaks of it; what a server makes up becomes the name of its type. */
function alike(value: unknown, other: unknown): unknown {
  if (Array.isArray(value)) return value.map((each, at) => alike(each, Array.isArray(other) ? other[at] : undefined));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const beside = (other as Record<string, unknown> | undefined)?.[name];
    if (made.test(name) && !["external_id", "app_id", "product_id"].includes(name)) return [name, typeof member];
    return [name, alike(member, beside)];
  });
  return Object.fromEntries(members);
}
