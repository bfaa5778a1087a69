/** GET /console/translations: every text of the messages that are declared, the languages it is wanted in, and where it is missing. */
import {
  type GetDeclaredTranslationsResponse,
  type ListMissingTextsResponse,
  MessageOwnerKind,
} from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { holds } from "../access/permissions.ts";
import { success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

/** Campaigns and canvases each to keys that may read their translations. */
export async function handleConsoleTranslations(call: Call, { translations }: Pick<Deps, "translations">): Promise<Reply> {
  const { scope, reading, spent } = call;
  const { permissions } = spent.permit.caller.holder.key;
  const [declared, { missing, more }] = await Promise.all([
    // One more than is shown, so that what is cut can be told
    translations.getDeclaredTranslations({ scope, sourceCharsMax: shownCharsMax + 1 }, reading),
    translations.listMissingTexts({ scope }, reading),
  ]);
  const owners = declared.owners.filter(({ kind }) => {
    const permission = kinds.get(kind)?.permission;
    return permission !== undefined && holds(permissions, permission);
  });
  const locales = declared.settings?.locales ?? [];
  const absent = Map.groupBy(missing, ({ messageVariationId }) => messageVariationId);
  return success({
    locales: locales.map(({ name }) => name),
    messages: owners.flatMap((owner) => messagesOf(owner, absent)),
    more: more || declared.more,
  });
}

const kinds: ReadonlyMap<MessageOwnerKind, { readonly name: string; readonly permission: string }> = new Map([
  [MessageOwnerKind.CAMPAIGN, { name: "campaign", permission: "campaigns.translations.get" }],
  [MessageOwnerKind.CANVAS, { name: "canvas", permission: "canvas.translations.get" }],
]);

type Owner = GetDeclaredTranslationsResponse["owners"][number];

/** Those that have something to translate; `missing` by the id of the message. */
function messagesOf({ kind, id, name, steps }: Owner, missing: ReadonlyMap<string, ListMissingTextsResponse["missing"]>): object[] {
  return steps.flatMap((step) =>
    step.variations.filter(({ locales }) => locales !== undefined && locales.names.length > 0).map((variation) => {
      const absent = (missing.get(variation.id) ?? []).map(({ locale, textIds }) => ({ name: locale?.name ?? "", ids: new Set(textIds) }));
      return {
        kind: kinds.get(kind)?.name ?? "",
        owner: { id, name },
        ...(step.id !== "" && { step: { id: step.id, name: step.name } }),
        message: { id: variation.id, name: variation.name },
        locales: variation.locales?.names ?? [],
        texts: (variation.source?.texts ?? []).map((text) => ({
          id: text.id,
          source: beginningOf(text.text),
          missing: absent.filter(({ ids }) => ids.has(text.id)).map((locale) => locale.name),
        })),
      };
    })
  );
}

/** Enough to know a text by. */
function beginningOf(text: string): string {
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
}

const shownCharsMax = 200;
