/** The translation matrix shows the beginning of each text, and asks for no more of it. */
import { create } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "vitest";
import {
  type GetDeclaredTranslationsRequest,
  GetDeclaredTranslationsResponseSchema,
  ListMissingTextsResponseSchema,
  MessageOwnerKind,
} from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { startStubGateway, type StubGateway } from "../../test/gateway-stub.ts";

let started: StubGateway | undefined;
afterEach(() => started?.gateway.close());

const texts = [{ id: "id_0", text: "a".repeat(200) }, { id: "id_1", text: "b".repeat(5_000) }, { id: "id_2", text: "c".repeat(201) }];
const variations = ["first", "second"].map((id) => ({ id, name: id, locales: { names: ["es", "fr"] }, source: { texts } }));

test("handleConsoleTranslations() shows 200 characters of a text, whether the part cut it or is of the build before", async () => {
  const asked: Partial<GetDeclaredTranslationsRequest>[] = [];
  const missing = [
    { messageVariationId: "first", locale: { name: "es" }, textIds: ["id_0", "id_2"] },
    { messageVariationId: "first", locale: { name: "fr" }, textIds: ["id_2"] },
    { messageVariationId: "second", locale: { name: "fr" }, textIds: ["id_1"] },
  ];
  started = await startStubGateway({
    permissions: ["*"],
    translations: {
      getDeclaredTranslations: async (request) => {
        asked.push(request as GetDeclaredTranslationsRequest);
        const owners = [{ kind: MessageOwnerKind.CAMPAIGN, id: "c", name: "Campaign", steps: [{ variations }] }];
        return create(GetDeclaredTranslationsResponseSchema, {
          settings: { locales: [{ name: "es" }, { name: "fr" }] },
          owners,
          more: true,
        });
      },
      listMissingTexts: async () => create(ListMissingTextsResponseSchema, { missing }),
    },
  });
  const { status, body } = await started.get("/console/translations");
  expect(status).toBe(200);
  // One more than is shown, which tells whether there is more
  expect(asked).toMatchObject([{ sourceCharsMax: 201 }]);
  expect(body["more"]).toBe(true);
  const shown = { id_0: "a".repeat(200), id_1: `${"b".repeat(200)}…`, id_2: `${"c".repeat(200)}…` };
  expect(body["messages"]).toMatchObject([
    {
      message: { id: "first" },
      texts: [
        { id: "id_0", source: shown.id_0, missing: ["es"] },
        { id: "id_1", source: shown.id_1, missing: [] },
        { id: "id_2", source: shown.id_2, missing: ["es", "fr"] },
      ],
    },
    { message: { id: "second" }, texts: [{ missing: [] }, { missing: ["fr"] }, { missing: [] }] },
  ]);
});
