/** The use case that writes a translation: every text of the source, in one language. */
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { type IdempotencyHashes, isSameRequest } from "../../../platform/same-request.ts";
import { findLocale, findMessage, type MessageQuestion } from "./find-messages.ts";
import { loadFacts } from "./read-translations.ts";
import { sourceLocaleId, type Texts, textsBytes, type TextsKey } from "./translation.ts";
import { refusedTexts, translationRefusal } from "./translation-refusals.ts";
import type { TranslationStore } from "./translation-ports.ts";

export interface PutRequest {
  readonly question: MessageQuestion;
  /** Id or name. */
  readonly locale: string;
  readonly texts: Texts;
  readonly idempotency?: IdempotencyHashes;
}

/**
 * Replaces what was there; `replayed`: an earlier request with the same key did. Refuses with the codes of the specification,
 * INPUT_INVALID with the texts of api-facts 7, and IDEMPOTENCY_KEY_REUSED.
 */
export async function putTranslation(
  { store, clock }: { readonly store: TranslationStore; readonly clock: Clock },
  workspaceId: string,
  request: PutRequest,
): Promise<{ readonly replayed: boolean }> {
  const { idempotency } = request;
  const now = clock.now();
  const known = idempotency && (await store.remembered(workspaceId, idempotency.requestHash, now));
  if (known) return repeated(isSameRequest(known, idempotency));
  const planned = await planPut(store, workspaceId, request);
  const outcome = await store.putTexts(workspaceId, { ...planned, now, ...(idempotency && { idempotency }) });
  return outcome === "committed" ? { replayed: false } : repeated(outcome === "repeated");
}

function repeated(isSameBody: boolean): { readonly replayed: boolean } {
  if (!isSameBody) throw new Refusal("IDEMPOTENCY_KEY_REUSED");
  return { replayed: true };
}

async function planPut(
  store: TranslationStore,
  workspaceId: string,
  { question, locale, texts }: PutRequest,
): Promise<{ readonly key: TextsKey; readonly texts: Texts }> {
  const facts = await loadFacts(store, workspaceId, question);
  const message = findMessage(question, facts);
  if (locale === "") throw translationRefusal("LOCALE_NOT_FOUND", "'locale_id' is required");
  const { id: localeId } = findLocale(facts.settings, message, locale);
  const messageId = message.variation.id;
  const [source] = await store.texts(workspaceId, [{ messageId, localeId: sourceLocaleId }]);
  return { key: { messageId, localeId }, texts: checkedTexts(source ?? new Map(), texts) };
}

/** In the order of the source. Refuses texts that are missing, unknown, too large or whose tags are not closed. */
export function checkedTexts(source: Texts, texts: Texts): Texts {
  if (textsBytes(texts) > limits.translationBytesMax) throw refusedTexts("The provided translations have exceeded the maximum of 20MB.");
  const missing = [...source.keys()].filter((id) => !texts.has(id));
  if (missing.length > 0) throw refusedTexts(`The provided translations are missing ${quoted(missing)}`);
  const unknown = [...texts.keys()].filter((id) => !source.has(id));
  if (unknown.length > 0) throw refusedTexts(`The provided translations have ${quoted(unknown)}, which the message does not have`);
  const faulty = [...texts].map(([id, text]) => ({ id, problem: tagProblem(text) })).find(({ problem }) => problem !== undefined);
  if (faulty) throw refusedTexts(`The provided translations yielded errors when parsing. '${faulty.id}': ${faulty.problem}`);
  return new Map([...source.keys()].map((id) => [id, texts.get(id) ?? ""]));
}

/** What is wrong with the tags of a text; undefined where each is closed before the next begins. An output may stand within a tag. */
export function tagProblem(text: string): string | undefined {
  const open: string[] = [];
  for (const [mark] of text.matchAll(/\{\{|\{%|\}\}|%\}/g)) {
    const last = open.at(-1);
    if (mark.startsWith("{")) {
      if (last !== undefined && !(last === "{%" && mark === "{{")) return notClosed(last);
      open.push(mark);
    } else if (last !== undefined && mark === closers.get(last)) open.pop();
  }
  const last = open.at(-1);
  return last && notClosed(last);
}

function notClosed(mark: string): string {
  return `the tag '${mark}' is not closed`;
}

const closers: ReadonlyMap<string, string> = new Map([["{{", "}}"], ["{%", "%}"]]);

function quoted(ids: readonly string[]): string {
  const shown = ids.slice(0, limits.quotedIdsMax).map((id) => `'${id}'`).join(", ");
  return ids.length > limits.quotedIdsMax ? `${shown} and ${ids.length - limits.quotedIdsMax} more` : shown;
}
