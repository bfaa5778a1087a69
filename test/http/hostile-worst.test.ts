/**
 * Every header and every text of every route at its longest and worst: blanks, repeats, and what nearly fits. None of them may cost much
 * more than the plain request that it was made of and than reading it costs a bare server. CI asks only that each is answered;
 * `npm run hostile` looks at the CPU of the server.
 */
import { env } from "node:process";
import { expect, test } from "vitest";
import { entries } from "../../gateway/openapi/entries.ts";
import type { Entry, Example } from "../../gateway/openapi/entries/entry.ts";
import { limitNames } from "../../gateway/access/limits-table.ts";
import { limits } from "../../platform/limits.ts";
import { bareSuite } from "../bare-suite.ts";
import { declared, scimTokens } from "../declaration.ts";
import { demoKey, testShape } from "../heddle.ts";
import { costIsTold, cpuMs } from "../process-cost.ts";
import { head, rawExchange } from "../raw.ts";
import { median } from "../statistics.ts";
import { heddleSuite } from "../suite.ts";

const isLong = env.HEDDLE_HOSTILE === "long";
const token = "scim-token-of-the-worst";
const many = 1_000_000_000;
const raised = (of: "workspace" | "company") => Object.fromEntries(limitNames(of).map((name) => [name, many]));
const suite = heddleSuite({
  env: { HEDDLE_TRUSTED_PROXIES: "127.0.0.1" },
  apply: declared({
    company: { limits: raised("company"), scimTokens: scimTokens(token) },
    demo: {
      limits: raised("workspace"),
      subscriptionGroups: [{ id: "11111111-1111-4111-8111-111111111111", name: "Letter", channel: "email" }],
      translations: { enabled: true, locales: ["es-MX"] },
    },
  }),
});

/** Where the system reports costs, of one process. */
const canMeasure = isLong && testShape === "embedded" && costIsTold;
const bare = bareSuite(canMeasure);
/** Of what the plain request and a bare server that is sent the same cost together. A square of `textChars` costs a second. */
const timesMax = 8;
const rounds = 7;

async function cost(pid: number, send: () => Promise<unknown>): Promise<number> {
  const before = cpuMs(pid);
  await send();
  return cpuMs(pid) - before;
}

interface Compared {
  readonly send: () => Promise<unknown>;
  readonly plain: () => Promise<unknown>;
  /** To the bare server. */
  readonly least: () => Promise<unknown>;
}

/** Sends all once, and again in turn where the first time was dear, as other things happen in a process now and then. */
async function mustCostLittle(what: string, { send, plain, least }: Compared): Promise<string | undefined> {
  if (!canMeasure) {
    await send();
    return undefined;
  }
  const costs: number[] = [];
  const plainly: number[] = [];
  const leasts: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    costs.push(await cost(suite.heddle.pid, send));
    plainly.push(await cost(suite.heddle.pid, plain));
    leasts.push(await cost(bare.pid, least));
    const [worst, usual, floor] = [median(costs), median(plainly), median(leasts)];
    const isDear = worst > timesMax * (usual + floor);
    if (round === 0 && !isDear) return undefined;
    if (round === rounds - 1 && isDear) {
      return `${what}: ${worst.toFixed(1)} ms of CPU, plain ${usual.toFixed(1)} ms, at least ${floor.toFixed(1)} ms`;
    }
  }
  return undefined;
}

const usual = new Map([
  ["host", "localhost"],
  ["authorization", `Bearer ${demoKey}`],
  ["content-type", "application/json"],
  ["connection", "close"],
]);
const lines: readonly (readonly [line: string, headers: readonly (readonly [name: string, value: string])[], body: string])[] = [
  ["POST /users/track HTTP/1.1", [], JSON.stringify({ attributes: [{ external_id: "a", a: 1 }] })],
  ["GET /openapi.json HTTP/1.1", [], ""],
  ["GET /unsubscribe/none HTTP/1.1", [], ""],
  ["PATCH /scim/v2/Users/none HTTP/1.1", [["authorization", `Bearer ${token}`], ["x-request-origin", "okta"]], "{}"],
];
/** What a header nearly is, over and over. */
const nearHeader: Readonly<Record<string, string>> = {
  accept: "application/json;q=",
  "accept-encoding": "gzip;q=0.0 ,",
  authorization: "Bearer ",
  "content-type": "application/json; charset=utf-8;",
  host: "a.a-",
  "idempotency-key": "k ",
  "if-match": 'W/"',
  "if-none-match": 'W/"\\"",',
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
  "x-forwarded-for": "::ffff:127.0.0.1, ",
  "x-forwarded-host": "[::1]:80",
};

test.each(Object.entries(limits.headerCharsMax))(
  "the header %s at its %i characters is taken or refused, for little",
  async (name, max) => {
    const dear: (string | undefined)[] = [];
    for (const [line, given, body] of lines) {
      const send = async (value: string | undefined, url = suite.heddle.url) => {
        const headers = new Map([...usual, ...given, ...(body === "" ? [] : [["content-length", String(body.length)] as const])]);
        if (value !== undefined) headers.set(name, value);
        const pieces = [head(line, [...headers].map(([known, text]) => `${known}: ${text}`)), ...(body === "" ? [] : [body])];
        return (await rawExchange(url, pieces, 15_000)).statuses;
      };
      for (
        const piece of [nearHeader[name] ?? usual.get(name) ?? "", " ", "\t", "a", "0", ",", ";", '"', "\\"].filter((one) => one !== "")
      ) {
        const value = `x${piece.repeat(max)}`.slice(piece === nearHeader[name] ? 1 : 0).slice(0, max - 1) + "x";
        dear.push(
          await mustCostLittle(`${line}, ${name}: ${JSON.stringify(piece)} ...`, {
            send: async () => {
              const statuses = await send(value);
              expect(statuses, `${line} with ${name}: ${value.slice(0, 100)}`).toHaveLength(1);
              expect(statuses[0]).toBeLessThan(500);
            },
            plain: () => send(undefined),
            least: () => send(undefined, bare.url),
          }),
        );
      }
      // What frames a request is read before that
      const framing = ["content-length", "expect", "transfer-encoding"].includes(name);
      expect(await send("x".repeat(max + 1)), `${line} with a longer ${name}`).toEqual([framing ? expect.any(Number) : 431]);
    }
    expect(dear.filter((one) => one !== undefined)).toEqual([]);
  },
  300_000,
);

test("a header that nobody reads may be as long as there is room", async () => {
  const pieces = head("GET /livez HTTP/1.1", ["Host: localhost", `Cookie: ${"a=b; ".repeat(3_000)}`, "Connection: close"]);
  expect((await rawExchange(suite.heddle.url, [pieces])).statuses).toEqual([200]);
});

const textChars = 32_000;
/** What is repeated; in the short form only the first. */
const pieces = [" ", "a", "0", "\t", "-", ".", "/", "(", '"', "\\", "{{ ", "<a ", "${", "&", "é", "\u200d", "1,", "a@", "[", "\ue000"];

function worst(value: string): string[] {
  const near = value === "" ? [] : [value.repeat(Math.ceil(textChars / value.length)).slice(0, textChars) + "!"];
  const filled = (isLong ? pieces : pieces.slice(0, 1)).map((piece) =>
    `${value.slice(0, 1)}${piece.repeat(textChars / piece.length)}\u0000`
  );
  return [...near, ...filled];
}

interface Place {
  readonly name: string;
  with(text: string): Sent;
  readonly value: string;
}

interface Sent {
  readonly target: string;
  readonly body: string | undefined;
}

/** Each text of an example: in the path, the query and the body. */
function placesOf(entry: Entry, example: Example): Place[] {
  const parameters = example.parameters ?? {};
  const inUrl = Object.entries(parameters).flatMap(([name, value]) => {
    // A URL has the room of a head
    const short = (text: string) => encodeURIComponent(text).slice(0, 12_000).replace(/%[^%]{0,1}$/, "").toString();
    return typeof value === "string"
      ? [{
        name,
        value,
        with: (text: string) => ({ ...plainOf(entry, example), target: targetOf(entry, { ...parameters, [name]: short(text) }) }),
      }]
      : [];
  });
  const { body } = example;
  if (typeof body === "string") {
    const form = [...new URLSearchParams(body)].map(([name, value]) => ({
      name,
      value,
      with: (text: string) => {
        const changed = new URLSearchParams(body);
        changed.set(name, text);
        return { ...plainOf(entry, example), body: String(changed) };
      },
    }));
    return [...inUrl, ...form];
  }
  const inBody = leavesOf(body, []).map(({ path, value }) => ({
    name: path.join("."),
    value,
    with: (text: string) => ({ ...plainOf(entry, example), body: JSON.stringify(changedAt(body, path, text)) }),
  }));
  return [...inUrl, ...inBody];
}

function plainOf(entry: Entry, { parameters = {}, body }: Example): Sent {
  const encoded = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, encodeURIComponent(String(value))]));
  return { target: targetOf(entry, encoded), body: body === undefined || typeof body === "string" ? body : JSON.stringify(body) };
}

function targetOf({ route, parameters = [] }: Entry, values: Readonly<Record<string, unknown>>): string {
  const path = (route.split(" ")[1] ?? "").replaceAll(/:\w+/g, (name) => String(values[name.slice(1)] ?? "none"));
  const query = parameters.filter((one) => one.in === "query" && values[one.name] !== undefined).map(({ name }) =>
    `${name}=${values[name]}`
  );
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

interface Leaf {
  readonly path: readonly (string | number)[];
  readonly value: string;
}

/** Texts, and the names of what has one. */
function leavesOf(value: unknown, path: readonly (string | number)[]): Leaf[] {
  if (typeof value === "string") return [{ path, value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, Array.isArray(value) ? Number(name) : name]));
}

function changedAt(value: unknown, [name, ...rest]: readonly (string | number)[], text: string): unknown {
  if (name === undefined) return text;
  if (Array.isArray(value)) return value.map((inner, at) => at === name ? changedAt(inner, rest, text) : inner);
  return { ...(value as object), [name]: changedAt((value as Record<string, unknown>)[name], rest, text) };
}

for (const entry of entries) {
  const [method = "", pattern = ""] = entry.route.split(" ");
  const places = entry.examples.flatMap((example) => placesOf(entry, example).map((place) => ({ example, place })));
  const first = new Map(places.map((one) => [one.place.name.replaceAll(/[.]\d+/g, ""), one]));
  if (first.size === 0) continue;
  test(`${entry.route}: its ${first.size} texts at their worst are taken or refused, for little`, async () => {
    const dear: (string | undefined)[] = [];
    for (const { example, place } of first.values()) {
      for (const text of worst(place.value)) {
        const what = `${entry.route}, ${place.name}: ${JSON.stringify(text.slice(0, 12))} ...`;
        const sent = place.with(text);
        const compared = { send: () => send(sent, what), plain: () => send(plainOf(entry, example), what), least: () => sendBare(sent) };
        dear.push(await mustCostLittle(what, compared));
      }
    }
    expect(dear.filter((one) => one !== undefined)).toEqual([]);
  }, 600_000);

  async function send({ target, body }: Sent, what: string): Promise<void> {
    const answer = await fetch(suite.heddle.url + target, {
      method,
      redirect: "manual",
      headers: {
        authorization: `Bearer ${pattern.startsWith("/scim/") ? token : demoKey}`,
        "x-request-origin": "okta",
        ...(body === undefined ? {} : { "content-type": entry.bodyType ?? "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
    });
    await answer.arrayBuffer();
    expect(answer.status, what).not.toBe(500);
  }

  async function sendBare({ target, body }: Sent): Promise<void> {
    const headers = { "x-least": "parse", "x-bytes-max": String(limits.translationRequestBytesMax) };
    await (await fetch(bare.url + target, { method, headers, ...(body === undefined ? {} : { body }) })).arrayBuffer();
  }
}
