/** Whether a name and a content may be written: values and sizes; how the HTML itself is judged is the PageChecker's. */
import { limits } from "../../../platform/limits.ts";
import { plainOrigin } from "../../../platform/origin.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { CenterContent, LinkTag, PageOptions, PageSettings } from "./center.ts";

/** What is sent; an absent field keeps what is there. */
export interface ContentDraft {
  readonly title?: string;
  readonly pageHtml?: string;
  readonly confirmationHtml?: string;
  /** Empty: none. */
  readonly redirectHtml?: string;
  readonly options?: PageOptions;
  readonly state?: CenterContent["state"];
}

/** What a new preference center has where nothing was sent (api-facts 6). */
export const newContent: CenterContent = {
  title: "Preference Center",
  pageHtml: "",
  confirmationHtml: "",
  redirectHtml: null,
  options: { linkTags: [] },
  state: "active",
};

/** The draft over `base`, whether or not it may be written. */
export function draftOver(draft: ContentDraft, base: CenterContent): CenterContent {
  return {
    title: draft.title ?? base.title,
    pageHtml: draft.pageHtml ?? base.pageHtml,
    confirmationHtml: draft.confirmationHtml ?? base.confirmationHtml,
    redirectHtml: draft.redirectHtml === undefined ? base.redirectHtml : draft.redirectHtml || null,
    options: draft.options ?? base.options,
    state: draft.state ?? base.state,
  };
}

/** The draft over `base`. Refuses INPUT_INVALID, which names the field. */
export function contentFrom(draft: ContentDraft, base: CenterContent): CenterContent {
  const content = draftOver(draft, base);
  checkText("preference_center_title", content.title, limits.preferenceTitleCharsMax);
  checkBytes("preference_center_page_html", content.pageHtml);
  checkBytes("confirmation_page_html", content.confirmationHtml);
  checkBytes("redirect_page_html", content.redirectHtml ?? "");
  checkOptions(content.options);
  return content;
}

/** Letters, digits, hyphen and underscore (api-facts 6). Refuses INPUT_INVALID. */
export function checkName(name: string): void {
  if (/^[A-Za-z0-9_-]+$/.test(name) && name.length <= limits.preferenceNameCharsMax) return;
  throw new Refusal(
    "INPUT_INVALID",
    `'name' must be 1 to ${limits.preferenceNameCharsMax} letters, digits, hyphens and underscores`,
  );
}

/** Refuses INPUT_INVALID for what is no https origin. */
export function checkSettings({ origins }: PageSettings): void {
  if (origins.length > limits.pageOriginsMax) throw invalid(`A workspace's pages may load from ${limits.pageOriginsMax} origins`);
  for (const origin of origins) {
    if (origin.length > limits.urlCharsMax || plainOrigin(origin) !== origin) {
      throw invalid(`Expected an origin such as https://cdn.example.com, got "${origin.slice(0, limits.quotedCharsMax)}"`);
    }
  }
}

function checkText(field: string, text: string, charsMax: number): void {
  if (text === "" || text.length > charsMax || /\p{Cc}/u.test(text)) {
    throw invalid(`'${field}' must be 1 to ${charsMax} characters without control characters`);
  }
}

function checkBytes(field: string, html: string): void {
  // A character is at most three bytes for each of its UTF-16 units
  if (html.length * 3 <= limits.pageBytesMax || new TextEncoder().encode(html).length <= limits.pageBytesMax) return;
  throw invalid(`'${field}' may not be larger than ${limits.pageBytesMax} bytes`);
}

function checkOptions({ viewport, linkTags }: PageOptions): void {
  if (viewport !== undefined) checkText("meta-viewport-content", viewport, limits.preferenceTitleCharsMax);
  if (linkTags.length > limits.pageLinkTagsMax) throw invalid(`'link-tags' may not hold more than ${limits.pageLinkTagsMax} tags`);
  linkTags.forEach(checkLinkTag);
}

const rels: ReadonlySet<string> = new Set(["icon", "shortcut icon", "apple-touch-icon"]);

function checkLinkTag({ rel, href, ...others }: LinkTag): void {
  if (!rels.has(rel)) throw invalid(`'rel' of a link tag must be one of ${[...rels].join(", ")}`);
  const reachable = href.length <= limits.urlCharsMax && plainOrigin(href) !== undefined;
  if (!reachable) throw invalid("'href' of a link tag must be an https address, its host of letters, digits, dots and hyphens");
  for (const [field, text] of Object.entries(others)) checkText(field, text, limits.preferenceTitleCharsMax);
}

function invalid(text: string): Refusal {
  return new Refusal("INPUT_INVALID", text);
}
