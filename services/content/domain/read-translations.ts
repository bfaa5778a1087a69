/** The use cases that read translations: load what the ids name, find the messages, fetch their texts. */
import { isUuid } from "../../../platform/identifier.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { type Facts, findLocale, findMessage, findMessages, type FoundMessage, type MessageQuestion } from "./find-messages.ts";
import { idsIn, type Locale, sourceLocaleId, type Texts, textsBytes, type TextsKey, undeclaredSettings } from "./translation.ts";
import type { TranslationStore } from "./translation-ports.ts";

export interface FoundTranslation {
  readonly message: FoundMessage;
  readonly locale: Locale;
  /** Empty where it is not translated yet. */
  readonly texts: Texts;
}

/**
 * One message in one language where `locale` is given, else all languages of all messages that the question names. Refuses with the
 * codes of the specification, and TOO_MANY_RESULTS.
 */
export async function listTranslations(
  store: TranslationStore,
  workspaceId: string,
  { question, locale }: { readonly question: MessageQuestion; readonly locale: string },
): Promise<readonly FoundTranslation[]> {
  const facts = await loadFacts(store, workspaceId, question);
  const wanted = locale === "" ? everyTranslation(question, facts) : [oneTranslation(question, facts, locale)];
  const keys = wanted.map(({ message, locale }) => ({ messageId: message.variation.id, localeId: locale.id }));
  const texts = await boundedTexts(store, workspaceId, keys);
  return wanted.map((found, at) => ({ ...found, texts: texts[at] ?? noTexts }));
}

/** Few at first, so that what is refused was not all read. Refuses TOO_MANY_RESULTS above what one answer between parts holds. */
async function boundedTexts(
  store: TranslationStore,
  workspaceId: string,
  keys: readonly TextsKey[],
): Promise<readonly (Texts | undefined)[]> {
  const read: (Texts | undefined)[] = [];
  let bytes = 0;
  for (let many = textsReadFirst; read.length < keys.length; many = Math.min(2 * many, textsReadMax)) {
    const more = await store.texts(workspaceId, keys.slice(read.length, read.length + many));
    bytes += more.reduce((sum, texts) => sum + bytesOf(texts ?? noTexts), 0);
    if (bytes > limits.translationsListBytesMax) throw tooMany();
    read.push(...more);
  }
  return read;
}

const [textsReadFirst, textsReadMax] = [8, 32];

/** With what stands around texts and message. */
export function bytesOf(texts: Texts): number {
  return textsBytes(texts) + texts.size * aroundText + aroundMessage;
}

const [aroundText, aroundMessage] = [16, 1_024];

function tooMany(): Refusal {
  const message = `The translations asked for have more than ${limits.translationsListBytesMax / 1024 / 1024} MB in all. ${narrower}`;
  return new Refusal("TOO_MANY_RESULTS", message, { errors: [{ message }] });
}

const narrower = "Ask for one message ('message_variation_id'), or for one language of it ('locale_id') as well.";

/** The texts that a translation has to translate. */
export async function getSource(store: TranslationStore, workspaceId: string, question: MessageQuestion): Promise<Texts> {
  const { variation } = findMessage(question, await loadFacts(store, workspaceId, question));
  const [texts] = await store.texts(workspaceId, [{ messageId: variation.id, localeId: sourceLocaleId }]);
  return texts ?? noTexts;
}

/** Looks for the holder of step or message only where the owner does not settle what is meant. */
export async function loadFacts(store: TranslationStore, workspaceId: string, question: MessageQuestion): Promise<Facts> {
  const { kind, ownerId, stepId, messageId } = question;
  const [settings = undeclaredSettings, owner] = await Promise.all([
    store.settings(workspaceId),
    isUuid(ownerId) ? store.owner(workspaceId, kind, ownerId) : undefined,
  ]);
  const heldId = stepId === "" ? messageId : stepId;
  const settled = !isUuid(heldId) || (owner !== undefined && idsIn(owner.steps).includes(heldId));
  return { settings, owner, holder: settled ? undefined : await store.holder(workspaceId, heldId) };
}

const noTexts: Texts = new Map();

function oneTranslation(question: MessageQuestion, facts: Facts, text: string): Omit<FoundTranslation, "texts"> {
  const message = findMessage(question, facts);
  return { message, locale: findLocale(facts.settings, message, text) };
}

function everyTranslation(question: MessageQuestion, facts: Facts): readonly Omit<FoundTranslation, "texts">[] {
  return findMessages(question, facts).flatMap((message) =>
    facts.settings.locales
      .filter(({ id }) => message.variation.localeIds.includes(id))
      .map((locale) => ({ message, locale }))
  );
}
