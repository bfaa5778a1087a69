/**
 * What another caller has and what does not exist are answered in the same words and time (reliability S14). Times of a shared
 * machine prove nothing, so that a short run only compares them coarsely; `npm run hostile` takes 20,000 of each.
 */
import { env } from "node:process";
import { beforeAll, expect, test } from "vitest";
import { apiKey, declared, scimTokens, workspace } from "../declaration.ts";
import { demoKey } from "../heddle.ts";
import { errorOfMedian, median } from "../statistics.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const isLong = env.HEDDLE_HOSTILE === "long";
const samples = isLong ? 20_000 : 200;
const many = 10_000_000;
const theirKey = "key-of-another-workspace";
const [ownToken, theirToken] = ["scim-token-of-acme-0001", "scim-token-of-rival-001"];
const suite = heddleSuite({
  env: { HEDDLE_TRUSTED_PROXIES: "127.0.0.1" },
  apply: declared({
    company: { scimTokens: scimTokens(ownToken) },
    others: [workspace("other", [apiKey("all", theirKey)], { limits: { users_export_ids: many } })],
    companies: [{ name: "rival", limits: { scim: many }, scimTokens: scimTokens(theirToken) }],
  }),
});

const user = fresh();
let account = "";
beforeAll(async () => {
  await suite.track({ attributes: [{ external_id: user, a: 1 }] });
  const made = await suite.request("POST", "/scim/v2/Users", {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: freshEmail(),
    name: { givenName: "A", familyName: "B" },
    department: "engineering",
    permissions: { companyPermissions: ["manage_company_settings"], appGroup: [] },
  }, { key: ownToken, headers: { "x-request-origin": "okta" } });
  account = String(made.body.id);
  expect(account, made.text).toMatch(/^[\w-]{8,}$/);
});

interface Question {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body?: string;
  /** The name in it, which an answer may repeat. */
  readonly name: string;
}

/** Another of the same length and kind of characters, which does not exist. */
function likeIt(name: string): string {
  return name.replaceAll(/\d/g, (digit) => String((Number(digit) + 3) % 10));
}

function exportOf(name: string): Question {
  return { method: "POST", path: "/users/export/ids", key: theirKey, body: JSON.stringify({ external_ids: [name] }), name };
}

function accountOf(name: string): Question {
  return { method: "GET", path: `/scim/v2/Users/${name}`, key: theirToken, name };
}

function keyOf(name: string): Question {
  return { method: "POST", path: "/users/track", key: name, body: "{}", name };
}

/** The answer without the name that was asked for, and what it took in microseconds. */
/** From many addresses, as refusals to one are limited. */
let asked = 0;

async function ask({ method, path, key, body, name }: Question): Promise<{ told: string; us: number }> {
  const headers = {
    authorization: `Bearer ${key}`,
    "x-request-origin": "okta",
    "x-forwarded-for": `198.51.100.${Math.floor((asked += 1) / 2) % 250}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const began = performance.now();
  const answer = await fetch(suite.heddle.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  return { told: `${answer.status} ${text.replaceAll(name, "NAME")}`, us: (performance.now() - began) * 1_000 };
}

const pairs: readonly (readonly [what: string, theirs: () => Question, nobodys: () => Question])[] = [
  ["a user of another workspace", () => exportOf(user), () => exportOf(likeIt(user))],
  ["an account of another company", () => accountOf(account), () => accountOf(likeIt(account))],
  ["a key that is nearly one and a key that is none", () => keyOf(`${demoKey.slice(0, -1)}~`), () => keyOf("~".repeat(demoKey.length))],
];

test.each(pairs)("%s is told of in the words and the time of what nobody has", async (what, theirs, nobodys) => {
  const questions = [theirs(), nobodys()];
  const times: [number[], number[]] = [[], []];
  const told = new Set<string>();
  for (let round = 0; round < samples + warming; round += 1) {
    // First one, then the other: what the machine does meanwhile meets both alike
    for (const which of round % 2 === 0 ? [0, 1] as const : [1, 0] as const) {
      const answer = await ask(questions[which] as Question);
      told.add(answer.told);
      if (round >= warming) times[which].push(answer.us);
    }
  }
  expect([...told]).toHaveLength(1);
  const [known, unknown] = times;
  const difference = Math.abs(median(known) - median(unknown));
  const error = Math.hypot(errorOfMedian(known), errorOfMedian(unknown));
  if (isLong) process.stdout.write(`${what}: medians ${difference.toFixed(1)} us apart, standard error ${error.toFixed(1)} us\n`);
  expect(difference).toBeLessThan(isLong ? Math.max(5, 3 * error) : median(unknown) * 10);
}, isLong ? 1_800_000 : 300_000);

const warming = 20;
