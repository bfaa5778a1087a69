/** GET /campaigns/translations and /canvas/translations: one, all and the source, and each error code in its situation. */
import { expect, test } from "vitest";
import { demoKey } from "../heddle.ts";
import { heddleSuite } from "../suite.ts";
import { closedKey, ids, offKey, otherKey, translationDeclaration } from "../translations.ts";

const suite = heddleSuite({ apply: translationDeclaration(demoKey) });
const spanish = { uuid: ids.spanish, name: "es-MX", country: "Mexico", language: "Spanish", locale_key: "es-mx" };
const french = { uuid: ids.french, name: "fr", country: "", language: "fr", locale_key: "fr" };
const hola = { id_0: "Hola", id_1: "Tu código {{code}}" };
const email = `campaign_id=${ids.campaign}&message_variation_id=${ids.email}`;
const step = `workflow_id=${ids.canvas}&step_id=${ids.step}`;

test("GET translates a campaign's message, on the plural and the singular path, with and without a slash", async () => {
  const body = { campaign_id: ids.campaign, message_variation_id: ids.email, locale_id: ids.spanish, translation_map: hola };
  expect((await suite.request("PUT", "/campaigns/translations", body)).text).toBe('{"message":"success"}');
  for (const path of ["/campaigns/translations", "/campaigns/translations/", "/campaign/translations", "/campaign/translations/"]) {
    const answer = await suite.get(`${path}?${email}&locale_id=${ids.spanish}`);
    expect([answer.status, answer.body]).toEqual([200, { translations: [{ translation_map: hola, locale: spanish }], message: "success" }]);
  }
});

test("GET lists every language of every message of a campaign", async () => {
  const answer = await suite.get(`/campaign/translations?campaign_id=${ids.campaign}`);
  expect(answer.status).toBe(200);
  expect(answer.body["translations"]).toEqual([
    { message_variation_id: ids.email, translation_map: expect.anything(), locale: spanish },
    { message_variation_id: ids.email, translation_map: {}, locale: french },
    { message_variation_id: ids.second, translation_map: {}, locale: spanish },
  ]);
  const ofMessage = await suite.get(`/campaigns/translations?campaign_id=${ids.campaign}&message_variation_id=${ids.second}`);
  expect(ofMessage.body["translations"]).toEqual([{ translation_map: {}, locale: spanish }]);
});

test("GET translates a canvas's message, also without its workflow_id", async () => {
  const body = { workflow_id: ids.canvas, step_id: ids.step, message_variation_id: ids.stepEmail, locale_id: ids.spanish };
  const put = await suite.request("PUT", "/canvas/translations", { ...body, translation_map: { id_0: "Paso" } });
  expect([put.status, put.text]).toEqual([200, '{"message":"success"}']);
  const view = { translations: [{ translation_map: { id_0: "Paso" }, locale: spanish }], message: "success" };
  const message = `step_id=${ids.step}&message_variation_id=${ids.stepEmail}&locale_id=${ids.spanish}`;
  for (
    const query of [
      `workflow_id=${ids.canvas}&${message}`,
      message,
      message.toUpperCase().replaceAll(/[A-Z_]+=/g, (name) => name.toLowerCase()),
    ]
  ) {
    expect((await suite.get(`/canvas/translations/?${query}`)).body).toEqual(view);
  }
  const list = [{ step_id: ids.step, message_variation_id: ids.stepEmail, translation_map: { id_0: "Paso" }, locale: spanish }];
  for (const query of [`workflow_id=${ids.canvas}`, step, `step_id=${ids.step}`]) {
    expect((await suite.get(`/canvas/translations?${query}`)).body["translations"]).toEqual(list);
  }
});

test("GET takes a language by its name, and ignores parameters it does not know", async () => {
  for (const locale of ["es-MX", "es-mx", "es_MX", ids.spanish.toUpperCase()]) {
    const answer = await suite.get(
      `/canvas/translations?${step}&message_variation_id=${ids.stepEmail}&locale_id=${locale}&post_launch_draft_version=true`,
    );
    expect([answer.status, answer.body["translations"]]).toEqual([200, [{ translation_map: expect.anything(), locale: spanish }]]);
  }
});

test("GET .../source has the texts that are to be translated", async () => {
  for (const path of ["/campaigns/translations/source", "/campaign/translations/source/"]) {
    const answer = await suite.get(`${path}?${email}`);
    expect([answer.status, answer.text]).toEqual([
      200,
      '{"translations":{"translation_map":{"id_0":"Hello","id_1":"Your code"}},"message":"success"}',
    ]);
  }
  const answer = await suite.get(`/canvas/translations/source?${step}&message_variation_id=${ids.stepEmail}`);
  expect(answer.body["translations"]).toEqual({ translation_map: { id_0: "Step" } });
});

const unsupported = "This message does not support multi-language.";
const refused: [number, string | undefined, string, string, string?][] = [
  [400, "INVALID_CAMPAIGN_ID", "/campaigns/translations", ""],
  [400, "INVALID_CAMPAIGN_ID", "/campaigns/translations", "campaign_id=welcome"],
  [400, "INVALID_CAMPAIGN_ID", "/campaigns/translations", `campaign_id=${ids.smsCampaign}&message_variation_id=${ids.email}&locale_id=fr`],
  [400, "INVALID_CAMPAIGN_ID", "/campaigns/translations", `campaign_id=${ids.nobody}&message_variation_id=${ids.email}&locale_id=fr`],
  [404, "MESSAGE_NOT_FOUND", "/campaigns/translations", `campaign_id=${ids.nobody}`],
  [404, "MESSAGE_NOT_FOUND", "/campaigns/translations", `campaign_id=${ids.nobody}&message_variation_id=${ids.nobody}&locale_id=fr`],
  [404, "MESSAGE_NOT_FOUND", "/campaigns/translations", `campaign_id=${ids.canvas}`],
  [
    400,
    "INVALID_MESSAGE_VARIATION_ID",
    "/campaigns/translations",
    `campaign_id=${ids.campaign}&message_variation_id=${ids.nobody}&locale_id=fr`,
  ],
  [400, "INVALID_MESSAGE_VARIATION_ID", "/campaigns/translations", `campaign_id=${ids.campaign}&message_variation_id=a&locale_id=fr`],
  [400, "INVALID_MESSAGE_VARIATION_ID", "/campaigns/translations", `campaign_id=${ids.campaign}&locale_id=${ids.spanish}`],
  [400, "LOCALE_NOT_FOUND", "/campaigns/translations", `${email}&locale_id=${ids.nobody}`, "The provided locale code does not exist."],
  [400, "LOCALE_NOT_FOUND", "/campaigns/translations", `${email}&locale_id=de`, "The provided locale code does not exist."],
  [
    400,
    "INVALID_LOCALE_ID",
    "/campaigns/translations",
    `campaign_id=${ids.campaign}&message_variation_id=${ids.second}&locale_id=${ids.french}`,
  ],
  [
    400,
    "UNSUPPORTED_CHANNEL",
    "/campaigns/translations",
    `campaign_id=${ids.campaign}&message_variation_id=${ids.sms}&locale_id=${ids.spanish}`,
  ],
  [400, "UNSUPPORTED_CHANNEL", "/campaigns/translations", `campaign_id=${ids.smsCampaign}`],
  [
    400,
    "MULTI_LANGUAGE_NOT_ENABLED_ON_MESSAGE",
    "/campaigns/translations",
    `campaign_id=${ids.campaign}&message_variation_id=${ids.plain}&locale_id=${ids.spanish}`,
    unsupported,
  ],
  [400, "MULTI_LANGUAGE_NOT_ENABLED_ON_MESSAGE", "/campaign/translations", `campaign_id=${ids.plainCampaign}`, unsupported],
  [400, undefined, "/campaigns/translations", `campaign_id=${ids.campaign}&campaign_id=${ids.campaign}`],
  [400, undefined, "/campaigns/translations", "campaign_id=%ff"],
  [400, undefined, "/canvas/translations", "", "'workflow_id' or 'step_id' is required"],
  [400, "INVALID_CAMPAIGN_ID", "/canvas/translations", "workflow_id=journey"],
  [400, "INVALID_CAMPAIGN_ID", "/canvas/translations", `workflow_id=${ids.otherCanvas}&step_id=${ids.step}`],
  [404, "MESSAGE_NOT_FOUND", "/canvas/translations", `workflow_id=${ids.nobody}`],
  [404, "MESSAGE_NOT_FOUND", "/canvas/translations", `workflow_id=${ids.campaign}`],
  [404, "MESSAGE_NOT_FOUND", "/canvas/translations", `step_id=${ids.nobody}&message_variation_id=${ids.stepEmail}&locale_id=es-MX`],
  [400, "INVALID_MESSAGE_VARIATION_ID", "/canvas/translations", `${step}&message_variation_id=${ids.otherStepEmail}&locale_id=es-MX`],
  [400, "INVALID_MESSAGE_VARIATION_ID", "/canvas/translations", `${step}&locale_id=es-MX`],
  [400, "LOCALE_NOT_FOUND", "/canvas/translations", `${step}&message_variation_id=${ids.stepEmail}&locale_id=de`],
  [400, "INVALID_LOCALE_ID", "/canvas/translations", `${step}&message_variation_id=${ids.stepEmail}&locale_id=fr`],
  [400, "UNSUPPORTED_CHANNEL", "/canvas/translations", `step_id=${ids.smsStep}`],
  [400, "INVALID_MESSAGE_VARIATION_ID", "/campaigns/translations/source", `campaign_id=${ids.campaign}`],
  [400, "UNSUPPORTED_CHANNEL", "/canvas/translations/source", `step_id=${ids.smsStep}&message_variation_id=${ids.stepSms}`],
  [404, "MESSAGE_NOT_FOUND", "/canvas/translations/source", `step_id=${ids.nobody}&message_variation_id=${ids.stepSms}`],
];
for (const [status, code, path, query, message] of refused) {
  test(`GET ${path}?${query} is refused with ${status} ${code ?? "without a code"}`, async () => {
    const answer = await suite.get(`${path}?${query}`);
    expect(answer.status).toBe(status);
    const [error] = (answer.body.errors ?? []) as unknown as { message: string; code?: string }[];
    expect(error).toEqual({ message: message ?? expect.stringMatching(/\S/), ...(code === undefined ? {} : { code }) });
    expect(answer.body).toEqual({ message: error?.message, errors: [error] });
  });
}

test("a workspace sees its own messages only", async () => {
  const answer = await suite.get(`/campaigns/translations?${email}&locale_id=es-MX`, { key: otherKey });
  expect([answer.status, answer.body.errors]).toEqual([404, [{ message: expect.any(String), code: "MESSAGE_NOT_FOUND" }]]);
});

test("a workspace without early access is told so, one without multi-language settings too", async () => {
  for (const path of ["/campaigns/translations", "/canvas/translations", "/campaign/translations/source"]) {
    const closed = await suite.get(`${path}?${email}&${step}`, { key: closedKey });
    expect([closed.status, closed.headers.get("x-heddle-reason")]).toEqual([403, "FEATURE_NOT_ENABLED"]);
    expect(closed.body.errors).toEqual([{ message: closed.body.message }]);
    const off = await suite.get(`${path}?${email}&${step}`, { key: offKey });
    expect([off.status, off.body.errors]).toEqual([400, [{ message: expect.any(String), code: "MULTI_LANGUAGE_NOT_ENABLED" }]]);
  }
});

test("a canvas is viewed by step_id, message_variation_id and locale_id: none may be missing, and what is no UUID is no step's", async () => {
  const whole = { step_id: ids.step, message_variation_id: ids.stepEmail, locale_id: ids.spanish };
  const { step_id, message_variation_id, ...locale_id } = whole;
  const ask = async (query: Record<string, string>) => (await suite.get(`/canvas/translations/?${new URLSearchParams(query)}`)).status;
  expect(await ask(whole)).toBe(200);
  for (const query of [{ message_variation_id, ...locale_id }, { step_id, ...locale_id }, { ...whole, message_variation_id: "first" }]) {
    expect(await ask(query), JSON.stringify(query)).toBe(400);
  }
  expect(await ask({ ...whole, step_id: "first" })).toBe(404);
});
