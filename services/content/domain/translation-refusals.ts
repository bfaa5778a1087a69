/** The eight codes of the specification ("Translation error codes and their meaning"), each with its text. */
import { Refusal } from "../../../platform/refusal.ts";

/** The texts of MULTI_LANGUAGE_NOT_ENABLED_ON_MESSAGE and LOCALE_NOT_FOUND are those that clients know (api-facts 7). */
const texts = {
  INVALID_CAMPAIGN_ID: "The provided campaign ID does not match the campaign of the message.",
  INVALID_LOCALE_ID: "The provided locale ID does not exist in the translations of this message.",
  INVALID_MESSAGE_VARIATION_ID: "The provided message variation ID is not one of this campaign or canvas step.",
  MESSAGE_NOT_FOUND: "The message to translate was not found.",
  LOCALE_NOT_FOUND: "The provided locale code does not exist.",
  MULTI_LANGUAGE_NOT_ENABLED: "Multi-language settings are not enabled for this workspace.",
  MULTI_LANGUAGE_NOT_ENABLED_ON_MESSAGE: "This message does not support multi-language.",
  UNSUPPORTED_CHANNEL: "Only email campaign messages and canvas email sends can be translated.",
} as const;

export type TranslationCode = keyof typeof texts;

/** NOT_FOUND for MESSAGE_NOT_FOUND, INPUT_INVALID for the others; `errors` has text and code. */
export function translationRefusal(code: TranslationCode, message: string = texts[code]): Refusal {
  return new Refusal(code === "MESSAGE_NOT_FOUND" ? "NOT_FOUND" : "INPUT_INVALID", message, { errors: [{ message, code }] });
}

/** INPUT_INVALID for what has no code. */
export function refusedTexts(message: string): Refusal {
  return new Refusal("INPUT_INVALID", message, { errors: [{ message }] });
}
