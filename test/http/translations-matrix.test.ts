/** The translation matrix: each text with the languages in which it is missing, of what the key may read. */
import { expect, test } from "vitest";
import { demoKey } from "../heddle.ts";
import { heddleSuite } from "../suite.ts";
import { ids, translationDeclaration } from "../translations.ts";

const viewer = "a-key-that-may-only-look-at-all";
const campaigns = "a-key-that-reads-campaigns";
const suite = heddleSuite({
  apply: translationDeclaration(demoKey).replace(
    "        apiKeys:\n",
    `        apiKeys:\n          - { name: viewer, permissions: [console.view], secret: ${viewer} }\n` +
      `          - { name: campaigns, permissions: [console.view, campaigns.translations.get], secret: ${campaigns} }\n`,
  ),
});

interface Matrix {
  readonly locales: string[];
  readonly more: boolean;
  readonly messages: {
    readonly kind: string;
    readonly owner: { readonly name: string };
    readonly message: { readonly id: string };
    readonly locales: string[];
    readonly texts: { readonly id: string; readonly source: string; readonly missing: string[] }[];
  }[];
}

async function matrix(key = demoKey): Promise<Matrix> {
  const { status, body } = await suite.get("/console/translations", { key });
  expect(status).toBe(200);
  return body as unknown as Matrix;
}

function textsOf({ messages }: Matrix, id: string) {
  return messages.find(({ message }) => message.id === id)?.texts;
}

test("each text says in which of its message's languages it is missing, and no longer once it is translated", async () => {
  const before = await matrix();
  expect([before.locales, before.more]).toEqual([["es-MX", "fr"], false]);
  expect(textsOf(before, ids.email)).toEqual([
    { id: "id_0", source: "Hello", missing: ["es-MX", "fr"] },
    { id: "id_1", source: "Your code", missing: ["es-MX", "fr"] },
  ]);
  expect(textsOf(before, ids.stepEmail)).toEqual([{ id: "id_0", source: "Step", missing: ["es-MX"] }]);
  // Nothing of these is to be translated
  expect([textsOf(before, ids.plain), textsOf(before, ids.sms)]).toEqual([undefined, undefined]);
  const written = await suite.request("PUT", "/campaigns/translations", {
    campaign_id: ids.campaign,
    message_variation_id: ids.email,
    locale_id: ids.spanish,
    translation_map: { id_0: "Hola", id_1: "" },
  });
  expect(written.status, written.text).toBe(200);
  expect(textsOf(await matrix(), ids.email)?.map(({ missing }) => missing)).toEqual([["fr"], ["es-MX", "fr"]]);
});

test("a key is shown campaigns and canvases as far as it may read their translations", async () => {
  expect((await matrix(viewer)).messages).toEqual([]);
  expect(new Set((await matrix(campaigns)).messages.map(({ kind }) => kind))).toEqual(new Set(["campaign"]));
  expect(new Set((await matrix()).messages.map(({ kind }) => kind))).toEqual(new Set(["campaign", "canvas"]));
});
