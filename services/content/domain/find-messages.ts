/** Which messages a request means, and why it may mean none: pure, the order of the checks is the order of the codes. */
import { isUuid } from "../../../platform/identifier.ts";
import { Refusal } from "../../../platform/refusal.ts";
import {
  type Locale,
  localeKey,
  type MessageOwner,
  type OwnerKind,
  translatedChannel,
  type TranslationSettings,
  type Variation,
} from "./translation.ts";
import { refusedTexts, translationRefusal } from "./translation-refusals.ts";

/** Empty text: not sent. */
export interface MessageQuestion {
  readonly kind: OwnerKind;
  /** campaign_id, or workflow_id. */
  readonly ownerId: string;
  readonly stepId: string;
  readonly messageId: string;
}

/** What was found under the ids of a question. */
export interface Facts {
  readonly settings: TranslationSettings;
  /** Under `ownerId`, of the question's kind. */
  readonly owner: MessageOwner | undefined;
  /** What holds the step, or without one the message variation. */
  readonly holder: MessageOwner | undefined;
}

export interface FoundMessage {
  readonly stepId: string;
  readonly variation: Variation;
}

/** Refuses FEATURE_NOT_ENABLED without early access, and MULTI_LANGUAGE_NOT_ENABLED. */
function checkSettings(settings: TranslationSettings): void {
  if (!settings.earlyAccess) {
    throw new Refusal("FEATURE_NOT_ENABLED", "Translations are in early access, which this workspace does not have");
  }
  if (!settings.enabled) throw translationRefusal("MULTI_LANGUAGE_NOT_ENABLED");
}

/** The messages that can be translated, at least one. Refuses with the codes of the specification. */
export function findMessages(question: MessageQuestion, facts: Facts): readonly FoundMessage[] {
  checkSettings(facts.settings);
  const named = question.kind === "campaign" ? ofCampaign(question, facts) : ofCanvas(question, facts);
  if (named.length === 0) throw translationRefusal("MESSAGE_NOT_FOUND");
  const emails = named.filter(({ variation }) => variation.channel === translatedChannel);
  if (emails.length === 0) throw translationRefusal("UNSUPPORTED_CHANNEL");
  const found = emails.filter(({ variation }) => variation.localeIds.length > 0);
  if (found.length === 0) throw translationRefusal("MULTI_LANGUAGE_NOT_ENABLED_ON_MESSAGE");
  return found;
}

/** As findMessages, for a request that has to name its message. */
export function findMessage(question: MessageQuestion, facts: Facts): FoundMessage {
  if (question.messageId === "") {
    checkSettings(facts.settings);
    throw translationRefusal("INVALID_MESSAGE_VARIATION_ID", "'message_variation_id' is required");
  }
  const [found] = findMessages(question, facts);
  if (found === undefined) throw translationRefusal("MESSAGE_NOT_FOUND");
  return found;
}

/** By id or name. Refuses LOCALE_NOT_FOUND. */
export function knownLocale({ locales }: TranslationSettings, text: string): Locale {
  const found = locales.find(({ id, name }) => id === text.toLowerCase() || localeKey(name) === localeKey(text));
  if (found === undefined) throw translationRefusal("LOCALE_NOT_FOUND");
  return found;
}

/** As knownLocale. Refuses INVALID_LOCALE_ID for a language that the message is not translated into. */
export function findLocale(settings: TranslationSettings, { variation }: FoundMessage, text: string): Locale {
  const found = knownLocale(settings, text);
  if (!variation.localeIds.includes(found.id)) throw translationRefusal("INVALID_LOCALE_ID");
  return found;
}

function ofCampaign({ ownerId, messageId }: MessageQuestion, { owner, holder }: Facts): readonly FoundMessage[] {
  if (ownerId === "") throw translationRefusal("INVALID_CAMPAIGN_ID", "'campaign_id' is required");
  if (!isUuid(ownerId)) throw translationRefusal("INVALID_CAMPAIGN_ID", "'campaign_id' must be a UUID");
  const messages = messagesOf(owner);
  if (messageId === "") return messages;
  const found = messages.filter(({ variation }) => variation.id === messageId);
  if (found.length > 0) return found;
  if (holder !== undefined) throw translationRefusal("INVALID_CAMPAIGN_ID");
  if (owner !== undefined || !isUuid(messageId)) throw translationRefusal("INVALID_MESSAGE_VARIATION_ID");
  return [];
}

/** The workflow is to a canvas what the campaign is to its message, so its mistakes have the campaign's code. */
function ofCanvas(question: MessageQuestion, { owner, holder }: Facts): readonly FoundMessage[] {
  const { ownerId, stepId, messageId } = question;
  if (ownerId === "" && stepId === "") throw refusedTexts("'workflow_id' or 'step_id' is required");
  if (ownerId !== "" && !isUuid(ownerId)) throw translationRefusal("INVALID_CAMPAIGN_ID", "'workflow_id' must be a UUID");
  const ofStep = messagesOfStep(question, ownerId === "" ? holder : owner);
  // The step is there, in a canvas with another id
  if (ofStep.length === 0 && ownerId !== "" && holder !== undefined) throw translationRefusal("INVALID_CAMPAIGN_ID", wrongWorkflow);
  if (ofStep.length === 0 || messageId === "") return ofStep;
  const found = ofStep.filter(({ variation }) => variation.id === messageId);
  if (found.length === 0) throw translationRefusal("INVALID_MESSAGE_VARIATION_ID");
  return found;
}

function messagesOfStep({ stepId }: MessageQuestion, owner: MessageOwner | undefined): readonly FoundMessage[] {
  const messages = messagesOf(owner?.kind === "canvas" ? owner : undefined);
  return stepId === "" ? messages : messages.filter((message) => message.stepId === stepId);
}

const wrongWorkflow = "The provided workflow ID does not match the canvas of the message.";

function messagesOf(owner: MessageOwner | undefined): readonly FoundMessage[] {
  return (owner?.steps ?? []).flatMap(({ id, variations }) => variations.map((variation) => ({ stepId: id, variation })));
}
