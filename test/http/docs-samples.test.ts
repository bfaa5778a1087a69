/** The requests that the pages of calls show, in curl, TypeScript and Python: each is run as it stands there, in order, and succeeds. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Heddle } from "../../client/index.ts";
import { type Language, sampleOf } from "../../gateway/documents/samples.ts";
import { entries } from "../../gateway/openapi/entries.ts";
import type { Route } from "../../gateway/routing/route.ts";
import { routeTable } from "../../gateway/route-table.ts";
import { openExampleIds } from "../example-ids.ts";
import { demoKey, repository } from "../heddle.ts";
import { heddleSuite } from "../suite.ts";

const run = promisify(execFile);
const token = "scim-token-of-the-examples";
const declaration = readFileSync(join(repository, "examples/demo.yaml"), "utf8")
  .replace('permissions: ["*"] }', `permissions: ["*", "console.bodies", "console.operate"], secret: ${demoKey} }`)
  .replace("origin: okta,", `origin: okta, secret: ${token},`);

interface Sent {
  readonly status: number;
  readonly text: string;
}

interface Place {
  readonly url: string;
  readonly key: string;
  readonly position: string;
}

async function curl(sample: string, { url, key, position }: Place): Promise<Sent & { readonly position: string }> {
  // As it stands on the page, and asked to see what was written before
  const more = `-sS -w '\\n%{http_code} %header{x-heddle-position}' -H "X-Heddle-Position: ${position}"`;
  const { stdout } = await run("bash", ["-c", sample.replace(/^curl/, `curl ${more}`)], {
    env: { ...process.env, URL: url, KEY: key },
    maxBuffer: 32 * 1024 * 1024,
  });
  const at = stdout.lastIndexOf("\n");
  const [status = "", newest = ""] = stdout.slice(at + 1).split(" ");
  return { status: Number(status), text: stdout.slice(0, at), position: newest || position };
}

const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (heddle: Heddle) => Promise<unknown>;

function routesOf(language: Language): (readonly [string, Route, string])[] {
  return entries.flatMap((entry) => {
    const route = routeTable.find(({ method, path }) => `${method} ${path}` === entry.route);
    const sample = route && sampleOf(language, route);
    return route === undefined || sample === undefined ? [] : [[entry.route, route, sample] as const];
  });
}

function keyOf({ guard }: Route): string {
  return guard === "scim" ? token : demoKey;
}

function shownFor(route: Route): unknown {
  return entries.find((entry) => entry.route === `${route.method} ${route.path}`)?.examples[0]?.answer;
}

test("curl: every call has a request, and each succeeds as it is pasted", async () => {
  await inOrder("curl", async (route, sample, place) => {
    const { status, text, position } = await curl(sample, { ...place, key: keyOf(route) });
    return { failed: status >= 200 && status < 300 ? undefined : `${status} ${text}`, text, position };
  });
});

test("TypeScript: every call has a request, and each succeeds with the client", async () => {
  const clients = new Map<string, Heddle>();
  await inOrder("TypeScript", async (route, sample, { url, position }) => {
    const key = keyOf(route);
    const heddle = clients.get(key) ??
      new Heddle({ url, key, deadlineMs: 0, ...(key === token ? { headers: { "X-Request-Origin": "okta" } } : {}) });
    clients.set(key, heddle);
    try {
      const answer: unknown = await new AsyncFunction("heddle", `${sample}\nreturn answer;`)(heddle);
      return { failed: undefined, text: typeof answer === "string" ? "{}" : JSON.stringify(answer ?? {}), position };
    } catch (error) {
      return { failed: String(error), text: "{}", position };
    }
  });
});

const suites = { curl: heddleSuite({ apply: declaration }), TypeScript: heddleSuite({ apply: declaration }) };

type Sending = (
  route: Route,
  sample: string,
  place: Omit<Place, "key">,
) => Promise<{ failed: string | undefined; text: string; position: string }>;

async function inOrder(language: keyof typeof suites, send: Sending): Promise<void> {
  const { heddle } = suites[language];
  const ids = openExampleIds(() => heddle);
  const failed: string[] = [];
  let position = "";
  const samples = routesOf(language);
  expect(samples.length).toBe(entries.length);
  for (const [name, route, sample] of samples) {
    const entry = entries.find((each) => each.route === name);
    if (entry) await ids.prepare(entry);
    const sent = await send(route, ids.replaced(sample), { url: heddle.url, position });
    ({ position } = sent);
    if (sent.failed !== undefined) failed.push(`${name}: ${sent.failed.slice(0, 200)}`);
    const shown = shownFor(route);
    if (shown !== undefined) ids.note(shown, JSON.parse(sent.text || "{}"));
    // Later ones speak of users that its other examples make
    if (name !== "POST /users/track") continue;
    for (const { body } of entry?.examples.slice(1) ?? []) {
      position = (await heddle.request("POST", route.path, body)).headers.get("x-heddle-position") ?? position;
    }
  }
  expect(failed).toEqual([]);
}
