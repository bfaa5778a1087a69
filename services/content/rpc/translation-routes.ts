/** TranslationService: one entry an RPC, each only messages to domain values and back. */
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../../platform/clock.ts";
import { inFlight } from "../../../platform/in-flight.ts";
import { idempotencyHashesOf } from "../../../platform/intake/idempotency.ts";
import { limits } from "../../../platform/limits.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  type GetDeclaredTranslationsRequest,
  type ListTranslationsRequest,
  type PutTranslationRequest,
  PutTranslationRequestSchema,
  type TranslationService,
} from "../../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { declareTranslations } from "../domain/declare-translations.ts";
import { listMissingTexts } from "../domain/list-missing-texts.ts";
import { putTranslation } from "../domain/put-translation.ts";
import { bytesOf, getSource, listTranslations } from "../domain/read-translations.ts";
import { sourceLocaleId, type Texts } from "../domain/translation.ts";
import type { TranslationStore } from "../domain/translation-ports.ts";
import { fieldChangeMessages } from "./field-change-messages.ts";
import {
  declarationFromMessage,
  declaredToMessage,
  missingToMessage,
  questionFromMessage,
  textsFromMessage,
  textsToMessage,
  translationToMessage,
} from "./translation-messages.ts";

export interface TranslationDeps {
  readonly store: TranslationStore;
  readonly clock: Clock;
  /** A UUID never given before. */
  readonly newId: () => string;
}

export function translationRoutes(deps: TranslationDeps): ServiceImpl<typeof TranslationService> {
  const { store } = deps;
  return {
    listTranslations: (message) => handleListTranslations(store, message),
    async getSource(message) {
      return { texts: textsToMessage(await getSource(store, scopeOf(message).workspaceId, questionFromMessage(message.question))) };
    },
    putTranslation: (message) => handlePutTranslation(deps, message),
    async declareTranslations(message) {
      const declaration = { ...declarationFromMessage(message), prune: message.prune, dryRun: message.dryRun };
      const changes = await declareTranslations(deps, scopeOf(message).workspaceId, declaration);
      return { changes: changes.map((change) => ({ ...change, fields: message.dryRun ? fieldChangeMessages(change.fields) : [] })) };
    },
    getDeclaredTranslations: (message, context) => handleGetDeclaredTranslations(store, message, context),
    async listMissingTexts(message, { signal }) {
      const { missing, more } = await listMissingTexts(store, scopeOf(message).workspaceId, { locale: message.locale, signal });
      return { missing: missing.map(missingToMessage), more };
    },
  };
}

async function handleListTranslations(store: TranslationStore, message: ListTranslationsRequest) {
  const question = questionFromMessage(message.question);
  const found = await listTranslations(store, scopeOf(message).workspaceId, { question, locale: message.locale });
  return { translations: found.map((translation) => translationToMessage(translation, { message: question.messageId !== "" })) };
}

async function handlePutTranslation(deps: TranslationDeps, message: PutTranslationRequest) {
  const idempotency = idempotencyHashesOf(PutTranslationRequestSchema, message);
  return await putTranslation(deps, scopeOf(message).workspaceId, {
    question: questionFromMessage(message.question),
    locale: message.locale,
    texts: textsFromMessage(message.texts),
    ...(idempotency && { idempotency }),
  });
}

async function handleGetDeclaredTranslations(
  store: TranslationStore,
  message: GetDeclaredTranslationsRequest,
  { signal }: Pick<HandlerContext, "signal">,
) {
  const { workspaceId } = scopeOf(message);
  const declared = await store.declared(workspaceId);
  if (message.sourceCharsMax === 0) return declaredToMessage(declared, undefined);
  const ids = declared.owners.flatMap(({ steps }) => steps.flatMap(({ variations }) => variations.map(({ id }) => id)));
  const isCut = message.sourceCharsMax !== undefined;
  let [bytes, more] = [0, false];
  // Cut as they come: all of them whole may be more than there is memory for
  const sources = await inFlight(ids, limits.translationsInFlightMax, async (messageId): Promise<[string, Texts][]> => {
    signal.throwIfAborted();
    if (more) return [];
    const [texts = new Map()] = await store.texts(workspaceId, [{ messageId, localeId: sourceLocaleId }]);
    const shown = beginningsOf(texts, message.sourceCharsMax);
    bytes += bytesOf(shown);
    more ||= isCut && bytes > limits.declaredSourcesBytesMax;
    return more ? [] : [[messageId, shown]];
  });
  return { ...declaredToMessage(declared, new Map(sources.flat())), more };
}

/** Whole where `charsMax` is undefined. */
function beginningsOf(texts: Texts, charsMax: number | undefined): Texts {
  if (charsMax === undefined) return texts;
  // Copies, as a slice keeps the whole text in memory
  return new Map([...texts].map(([id, text]) => [id, Buffer.from(text.slice(0, charsMax), "utf16le").toString("utf16le")]));
}
