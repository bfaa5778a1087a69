/** The report of what is not translated yet. */
import { limits } from "../../../platform/limits.ts";
import { slicesOf } from "../../../platform/slices-by-size.ts";
import { knownLocale } from "./find-messages.ts";
import {
  type Locale,
  type MessageOwner,
  sourceLocaleId,
  type Step,
  type Texts,
  translatedChannel,
  undeclaredSettings,
  type Variation,
} from "./translation.ts";
import type { TranslationStore } from "./translation-ports.ts";

/** Texts of one message in one language that are absent or empty. */
export interface MissingTexts {
  readonly owner: MessageOwner;
  readonly step: Step;
  readonly variation: Variation;
  readonly locale: Locale;
  /** In the order of the source; never empty. */
  readonly textIds: readonly string[];
}

/**
 * By campaign and canvas; `locale` by id or name, empty for all. Refuses LOCALE_NOT_FOUND; rejects before the next message once `signal`
 * is aborted.
 */
export async function listMissingTexts(
  store: TranslationStore,
  workspaceId: string,
  { locale, signal }: { readonly locale: string; readonly signal: AbortSignal },
): Promise<{ readonly missing: readonly MissingTexts[]; readonly more: boolean }> {
  const { settings = undeclaredSettings, owners } = await store.declared(workspaceId);
  const locales = locale === "" ? settings.locales : [knownLocale(settings, locale)];
  const missing: MissingTexts[] = [];
  let bytes = 0;
  for (const { owner, step, variation } of owners.flatMap(emailsOf)) {
    const wanted = locales.filter(({ id }) => variation.localeIds.includes(id));
    if (wanted.length === 0) continue;
    for (const { textIds, ...missed } of await missingOf(store, workspaceId, { variation, locales: wanted, signal })) {
      bytes += bytesOf([owner.name, step.name, variation.name, ...textIds]);
      if (missing.length === limits.missingTextsMax || bytes > limits.translationsListBytesMax) return { missing, more: true };
      missing.push({ owner, step, variation, ...missed, textIds });
    }
  }
  return { missing, more: false };
}

/** Few texts at a time, and only ids are kept: the texts of all languages may be more than there is memory for. */
async function missingOf(
  store: TranslationStore,
  workspaceId: string,
  { variation: { id: messageId }, locales, signal }: {
    readonly variation: Variation;
    readonly locales: readonly Locale[];
    readonly signal: AbortSignal;
  },
): Promise<readonly Pick<MissingTexts, "locale" | "textIds">[]> {
  signal.throwIfAborted();
  const [source] = await store.texts(workspaceId, [{ messageId, localeId: sourceLocaleId }]);
  const found: Pick<MissingTexts, "locale" | "textIds">[] = [];
  for (const some of slicesOf(locales, limits.translationsInFlightMax)) {
    signal.throwIfAborted();
    const texts = await store.texts(workspaceId, some.map(({ id }) => ({ messageId, localeId: id })));
    found.push(...some.map((locale, place) => ({ locale, textIds: missingIds(source, texts[place]) })));
  }
  return found.filter(({ textIds }) => textIds.length > 0);
}

/** With what stands around them. */
function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text) + aroundText, aroundMessage);
}

const [aroundText, aroundMessage] = [4, 256];

function emailsOf(owner: MessageOwner): readonly Pick<MissingTexts, "owner" | "step" | "variation">[] {
  return owner.steps.flatMap((step) =>
    step.variations.filter(({ channel }) => channel === translatedChannel).map((variation) => ({ owner, step, variation }))
  );
}

/** A text that is empty in the source needs no translation. */
function missingIds(source: Texts | undefined, translated: Texts | undefined): readonly string[] {
  return [...source ?? []].filter(([id, text]) => text !== "" && (translated?.get(id) ?? "") === "").map(([id]) => id);
}
