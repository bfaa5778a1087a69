/** What the translation endpoints are asked with: ids in the query, and the body of a PUT (api-facts 7). */
import { type MessageInitShape } from "@bufbuild/protobuf";
import { type Fields, isFields } from "../../platform/fields.ts";
import { MessageOwnerKind, type MessageQuestionSchema } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { bodyFields, invalid, isSent, wellFormed } from "./fields.ts";
import { onlyValue, type Query, queryOf } from "./query.ts";

export interface TranslationQuestion {
  readonly question: MessageInitShape<typeof MessageQuestionSchema>;
  /** Empty where none was sent. */
  readonly locale: string;
}

export type TranslatedKind = "campaign" | "canvas";

/** Unknown parameters are ignored, `post_launch_draft_version` too: there are no drafts here. */
export function translationQuestionOf(kind: TranslatedKind, text: string): TranslationQuestion {
  const query: Query = queryOf(text);
  return questionOf(kind, (...names) => firstOf(names, (name) => onlyValue(query, name)) ?? "");
}

/** The ids may stand in the body, as clients send them, or in the query; the body wins. Throws INPUT_INVALID. */
export function translationPutOf(
  kind: TranslatedKind,
  call: { readonly body: Uint8Array; readonly query: string },
): TranslationQuestion & { readonly texts: { readonly id: string; readonly text: string }[] } {
  const fields = bodyFields(call.body);
  const query = queryOf(call.query);
  const asked = questionOf(kind, (...names) => {
    return firstOf(names, (name) => textOf(fields, name)) ?? firstOf(names, (name) => onlyValue(query, name)) ?? "";
  });
  return { ...asked, texts: textsOf(fields["translation_map"]) };
}

/** `valueOf` gives what was sent under the first of the names that has a value; empty where none has. */
function questionOf(kind: TranslatedKind, valueOf: (...names: string[]) => string): TranslationQuestion {
  return {
    question: {
      kind: kind === "campaign" ? MessageOwnerKind.CAMPAIGN : MessageOwnerKind.CANVAS,
      ownerId: valueOf(kind === "campaign" ? "campaign_id" : "workflow_id"),
      stepId: kind === "campaign" ? "" : valueOf("step_id"),
      messageVariationId: valueOf("message_variation_id"),
    },
    locale: valueOf("locale_id", "locale_name"),
  };
}

function firstOf(names: readonly string[], valueOf: (name: string) => string | undefined): string | undefined {
  for (const name of names) {
    const value = valueOf(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (!isSent(value) || value === "") return undefined;
  if (typeof value !== "string") throw invalid(`'${name}' must be a string`);
  return value;
}

function textsOf(value: unknown): { id: string; text: string }[] {
  if (!isFields(value)) throw invalid("'translation_map' must be an object of strings");
  return Object.entries(value).map(([id, text]) => {
    if (typeof text !== "string") throw invalid(`'translation_map' must be an object of strings: '${id}' is none`);
    return { id, text: wellFormed(text, id) };
  });
}
