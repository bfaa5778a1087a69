/** Bodies about preference centers to messages (specification; api-facts 6). */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Fields, isFields } from "../../platform/fields.ts";
import {
  CenterState,
  type PageOptionsSchema,
  type PreferenceCenterContentSchema,
} from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import { invalid, isSent, wellFormed } from "./fields.ts";

type Content = MessageInitShape<typeof PreferenceCenterContentSchema>;

/** Both pages are required; what else is absent stays as it is, or is the default of a new one. Throws INPUT_INVALID. */
export function centerContentOf(body: Fields): Content {
  const { preference_center_title: title, redirect_page_html: redirectHtml, options, state } = body;
  return {
    pageHtml: requiredText(body, "preference_center_page_html"),
    confirmationHtml: requiredText(body, "confirmation_page_html"),
    ...(isSent(title) ? { title: textOf(title, "preference_center_title") } : {}),
    ...(isSent(redirectHtml) ? { redirectHtml: textOf(redirectHtml, "redirect_page_html") } : {}),
    ...(isSent(options) ? { options: optionsOf(options) } : {}),
    ...(isSent(state) ? { state: stateOf(state) } : {}),
  };
}

export function requiredText(body: Fields, field: string): string {
  const value = body[field];
  if (!isSent(value)) throw invalid(`'${field}' is required`);
  return textOf(value, field);
}

function textOf(value: unknown, field: string): string {
  if (typeof value === "string") return wellFormed(value, field);
  throw invalid(`'${field}' must be a string`);
}

function stateOf(value: unknown): CenterState {
  if (value === "active") return CenterState.ACTIVE;
  if (value === "draft") return CenterState.DRAFT;
  throw invalid("'state' must be 'active' or 'draft'");
}

/** The documents know the tags under two names: `links-tags` in samples, `link-tags` in the table. */
function optionsOf(value: unknown): MessageInitShape<typeof PageOptionsSchema> {
  if (!isFields(value)) throw invalid("'options' must be an object");
  const viewport = value["meta-viewport-content"];
  const tags = value["links-tags"] ?? value["link-tags"];
  return {
    ...(isSent(viewport) ? { metaViewportContent: textOf(viewport, "meta-viewport-content") } : {}),
    linkTags: isSent(tags) ? linkTagsOf(tags) : [],
  };
}

function linkTagsOf(value: unknown) {
  if (!Array.isArray(value) || !value.every(isFields)) throw invalid("'link-tags' must be an array of objects");
  return value.map((tag) => ({
    rel: requiredText(tag, "rel"),
    href: requiredText(tag, "href"),
    type: isSent(tag["type"]) ? textOf(tag["type"], "type") : "",
    sizes: isSent(tag["sizes"]) ? textOf(tag["sizes"], "sizes") : "",
    color: isSent(tag["color"]) ? textOf(tag["color"], "color") : "",
  }));
}
