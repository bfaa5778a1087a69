/** PUT /campaigns/translations and /canvas/translations: what it takes, what it refuses, and requests that are sent twice. */
import { expect, test } from "vitest";
import { demoKey } from "../heddle.ts";
import { fresh, heddleSuite } from "../suite.ts";
import { getKey, ids, translationDeclaration } from "../translations.ts";

const suite = heddleSuite({ apply: translationDeclaration(demoKey) });
const path = "/campaigns/translations";
const message = { campaign_id: ids.campaign, message_variation_id: ids.email, locale_id: ids.spanish };
const query = `campaign_id=${ids.campaign}&message_variation_id=${ids.email}&locale_id=${ids.spanish}`;

function put(body: unknown, headers: Record<string, string> = {}, key = demoKey) {
  return suite.request("PUT", path, body, { key, headers });
}

async function translated(): Promise<unknown> {
  const answer = await suite.get(`${path}?${query}`);
  const [translation] = answer.body["translations"] as { translation_map: unknown }[];
  return translation?.translation_map;
}

test("PUT replaces the texts, in the order of the message, whatever characters they have", async () => {
  const texts = { id_1: '"quoted" </script>\n\u0000 😀', id_0: "" };
  expect((await put({ ...message, translation_map: { id_0: "x", id_1: "y" } })).status).toBe(200);
  expect((await put({ ...message, translation_map: texts })).status).toBe(200);
  expect(JSON.stringify(await translated())).toBe(JSON.stringify({ id_0: texts.id_0, id_1: texts.id_1 }));
});

test("PUT takes the language by its name, as locale_id or locale_name, and ids in the query", async () => {
  const { locale_id: _, ...rest } = message;
  for (const named of [{ locale_id: "es-mx" }, { locale_name: "es-MX" }]) {
    const texts = { id_0: fresh("text"), id_1: "b" };
    expect((await put({ ...rest, ...named, translation_map: texts })).status).toBe(200);
    expect(await translated()).toEqual(texts);
  }
  const texts = { id_0: "query", id_1: "b" };
  expect((await suite.request("PUT", `/campaign/translations?${query}`, { translation_map: texts })).status).toBe(200);
  expect(await translated()).toEqual(texts);
});

test("PUT takes the language of the body where the query has another, by whichever name", async () => {
  const { locale_id: _, ...rest } = message;
  for (const named of [{ locale_id: "es-MX" }, { locale_name: "es-MX" }]) {
    for (const other of [`locale_id=${ids.french}`, "locale_name=fr"]) {
      const texts = { id_0: fresh("text"), id_1: "b" };
      expect((await suite.request("PUT", `${path}?${other}`, { ...rest, ...named, translation_map: texts })).status).toBe(200);
      expect(await translated()).toEqual(texts);
    }
  }
});

test("PUT takes texts of several megabytes", async () => {
  const texts = { id_0: "ñ".repeat(2_500_000), id_1: "b" };
  expect((await put({ ...message, translation_map: texts })).status).toBe(200);
  expect(await translated()).toEqual(texts);
});

test("a list of more than 22 MB is refused by name, its parts are answered", async () => {
  const half = { id_0: "ñ".repeat(6_000_000), id_1: "b" };
  for (const locale_id of [ids.spanish, ids.french]) expect((await put({ ...message, locale_id, translation_map: half })).status).toBe(200);
  for (const asked of [`campaign_id=${ids.campaign}`, `campaign_id=${ids.campaign}&message_variation_id=${ids.email}`]) {
    const answer = await suite.get(`${path}?${asked}`);
    expect([answer.status, answer.headers.get("x-heddle-reason")]).toEqual([400, "TOO_MANY_RESULTS"]);
    expect(answer.body.errors).toEqual([{ message: expect.stringMatching(/^The translations asked for have more than 22 MB/) }]);
  }
  expect(await translated()).toEqual(half);
  expect((await put({ ...message, translation_map: { id_0: "x", id_1: "y" } })).status).toBe(200);
  expect((await suite.get(`${path}?campaign_id=${ids.campaign}`)).status).toBe(200);
});

const texts = { id_0: "Hola", id_1: "Adiós" };
const refused: [string, unknown, number, string | undefined, string | RegExp][] = [
  ["a missing text", { ...message, translation_map: { id_0: "x" } }, 400, undefined, "The provided translations are missing 'id_1'"],
  ["no texts", { ...message, translation_map: {} }, 400, undefined, "The provided translations are missing 'id_0', 'id_1'"],
  ["an unknown text", { ...message, translation_map: { ...texts, id_9: "x" } }, 400, undefined, /'id_9'/],
  [
    "a tag that is not closed",
    { ...message, translation_map: { ...texts, id_1: "{% if" } },
    400,
    undefined,
    /^The provided translations yielded errors when parsing\. 'id_1'/,
  ],
  ["no map", message, 400, undefined, /translation_map/],
  ["a text that is none", { ...message, translation_map: { ...texts, id_1: 1 } }, 400, undefined, /'id_1'/],
  [
    "half of a surrogate pair",
    { ...message, translation_map: { ...texts, id_1: "a\ud800b" } },
    400,
    undefined,
    "'id_1' must not hold half of a surrogate pair",
  ],
  ["a body that is no object", [], 400, undefined, /object/],
  ["no language", { ...message, locale_id: null, translation_map: texts }, 400, "LOCALE_NOT_FOUND", /locale_id/],
  ["an unknown language", { ...message, locale_id: ids.nobody, translation_map: texts }, 400, "LOCALE_NOT_FOUND", /locale/],
  [
    "another message's language",
    { ...message, message_variation_id: ids.second, locale_id: "fr", translation_map: texts },
    400,
    "INVALID_LOCALE_ID",
    /locale/,
  ],
  ["an SMS", { ...message, message_variation_id: ids.sms, translation_map: texts }, 400, "UNSUPPORTED_CHANNEL", /email/],
  [
    "a message that nobody has",
    { ...message, campaign_id: ids.nobody, message_variation_id: ids.nobody, translation_map: texts },
    404,
    "MESSAGE_NOT_FOUND",
    /not found/,
  ],
  ["a number as an id", { ...message, campaign_id: 5, translation_map: texts }, 400, undefined, /campaign_id/],
];
for (const [what, body, status, code, text] of refused) {
  test(`PUT refuses ${what}, and changes nothing`, async () => {
    const before = { id_0: fresh("before"), id_1: "b" };
    await put({ ...message, translation_map: before });
    const answer = await put(body);
    const [error] = (answer.body.errors ?? []) as unknown as { message: string; code?: string }[];
    expect([answer.status, error?.code]).toEqual([status, code]);
    expect(error?.message).toMatch(typeof text === "string" ? new RegExp(`^${text.replaceAll(/[.()']/g, "[$&]")}$`) : text);
    expect(answer.body.message).toBe(error?.message);
    expect(await translated()).toEqual(before);
  });
}

test("PUT refuses texts of more than 20 MB in all", async () => {
  const answer = await put({ ...message, translation_map: { id_0: "x".repeat(20 * 1024 * 1024), id_1: "b" } });
  expect([answer.status, answer.body.message]).toEqual([400, "The provided translations have exceeded the maximum of 20MB."]);
});

test("PUT with the same Idempotency-Key and body is done once, with another body refused", async () => {
  const key = { "idempotency-key": fresh("key") };
  const body = { ...message, translation_map: { id_0: "first", id_1: "b" } };
  const first = await put(body, key);
  expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([200, null]);
  await put({ ...message, translation_map: { id_0: "later", id_1: "b" } });
  const again = await put(body, key);
  expect([again.status, again.text, again.headers.get("idempotency-replayed")]).toEqual([200, first.text, "true"]);
  const other = await put({ ...message, translation_map: { id_0: "other", id_1: "b" } }, key);
  expect([other.status, other.headers.get("x-heddle-reason")]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
  expect(await translated()).toEqual({ id_0: "later", id_1: "b" });
});

test("PUT with the same Idempotency-Key and body, and another language in the query, is refused", async () => {
  const headers = { "idempotency-key": fresh("key") };
  const body = { translation_map: { id_0: fresh("text"), id_1: "b" } };
  const first = await suite.request("PUT", `${path}?${query}`, body, { headers });
  const again = await suite.request("PUT", `${path}?${query}`, body, { headers });
  const other = await suite.request("PUT", `${path}?${query.replace(ids.spanish, ids.french)}`, body, { headers });
  expect([first, again, other].map(({ status, headers: answered }) => [status, answered.get("idempotency-replayed")])).toEqual([
    [200, null],
    [200, "true"],
    [422, null],
  ]);
  expect(other.headers.get("x-heddle-reason")).toBe("IDEMPOTENCY_KEY_REUSED");
});

test("PUT with one Idempotency-Key and several bodies at once takes one of them", async () => {
  const key = { "idempotency-key": fresh("key") };
  const bodies = ["a", "b", "c", "d", "e", "f"].map((text) => ({ ...message, translation_map: { id_0: text, id_1: "b" } }));
  const answers = await Promise.all(bodies.map((body) => put(body, key)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422, 422, 422, 422]);
  const taken = bodies[answers.findIndex(({ status }) => status === 200)];
  expect(await translated()).toEqual(taken?.translation_map);
});

test("PUT needs its own permission, GET is not enough", async () => {
  const answer = await put({ ...message, translation_map: texts }, {}, getKey);
  expect([answer.status, answer.body.errors]).toEqual([403, [{ message: answer.body.message }]]);
  const read = await suite.get(`${path}?${query}`, { key: getKey });
  expect(read.status).toBe(200);
});

test("PUT survives kill -9", async () => {
  const kept = { id_0: fresh("kept"), id_1: "b" };
  expect((await put({ ...message, translation_map: kept })).status).toBe(200);
  await suite.heddle.restart("SIGKILL");
  expect(await translated()).toEqual(kept);
});
