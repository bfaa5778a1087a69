/** Stored pages checked, compiled and filled in; what was compiled is kept, within bounds. */
import { openCache } from "../../../platform/cache.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Center, CenterContent, PageSettings } from "../domain/center.ts";
import type { WantedFields } from "../domain/person-fields.ts";
import { type AboutPage, checkHtml } from "./check-html.ts";
import { escapeText } from "../../../platform/escape-html.ts";
import { headHtml, openTemplate, type PageTemplate, parsePage } from "./liquid.ts";
import { headOf } from "./page-head.ts";
import type { PageKind } from "./page-element.ts";
import { PageProblem } from "./page-problem.ts";

/** A stored page made ready. */
export interface CompiledPage {
  readonly template: PageTemplate;
  /** Groups whose state it reads. */
  readonly groups: ReadonlySet<string>;
  /** Form field names that it gives: what else is sent is not its. */
  readonly fields: ReadonlySet<string>;
  /** Of the person's profile, that it shows. */
  readonly wanted: WantedFields;
  /** HTML for its head. */
  readonly head: string;
  /** What the document around its frame takes over from it. */
  readonly about: AboutPage;
}

export interface Pages {
  /** As PageChecker.check(). */
  check(content: CenterContent, settings: PageSettings): readonly string[];
  /**
   * The page of a kind; undefined where none is stored and the built-in one is used. Refuses STATE_CONFLICT for one that would be
   * refused if it were written now.
   */
  compiled(center: Center, kind: PageKind): CompiledPage | undefined;
}

const fieldOf: Readonly<Record<PageKind, string>> = {
  page: "preference_center_page_html",
  confirmation: "confirmation_page_html",
  redirect: "redirect_page_html",
};

export function openPages(): Pages {
  const cache = openCache<CompiledPage | Refusal>({ entriesMax: limits.pagesCachedMax, sizeMax: limits.pagesCachedCharsMax });
  return {
    check: (content, settings) => kinds.flatMap((kind) => checkPage(kind, content, settings)).slice(0, limits.pageWarningsMax),
    compiled(center, kind) {
      const html = htmlOf(kind, center.content);
      if (html.trim() === "") return undefined;
      const key = `${center.workspaceId} ${center.id} ${center.version} ${kind}`;
      // One that does not work is not read again for every visit
      const page = cache.get(key) ?? compileOrRefuse(html, kind, center.content);
      cache.put(key, page, html.length);
      if (page instanceof Refusal) throw page;
      return page;
    },
  };
}

const kinds: readonly PageKind[] = ["page", "confirmation", "redirect"];
const checkedWhenCompiled: PageSettings = { scriptsAllowed: true, origins: [] };

function htmlOf(kind: PageKind, { pageHtml, confirmationHtml, redirectHtml }: CenterContent): string {
  return { page: pageHtml, confirmation: confirmationHtml, redirect: redirectHtml ?? "" }[kind];
}

/** Refuses INPUT_INVALID. */
function checkPage(kind: PageKind, content: CenterContent, settings: PageSettings): string[] {
  const html = htmlOf(kind, content);
  if (html.trim() === "") return [];
  try {
    const { warnings } = checkHtml(parsePage(html), kind, settings);
    return warnings.map((warning) => `'${fieldOf[kind]}' ${warning}`);
  } catch (error) {
    if (!(error instanceof PageProblem)) throw error;
    const where = error.line === undefined ? "" : `line ${error.line}: `;
    throw new Refusal("INPUT_INVALID", `'${fieldOf[kind]}' would not work: ${where}${error.message}`);
  }
}

function compileOrRefuse(html: string, kind: PageKind, content: CenterContent): CompiledPage | Refusal {
  try {
    return compile(html, kind, content);
  } catch (cause) {
    if (!(cause instanceof PageProblem)) throw cause;
    return new Refusal("STATE_CONFLICT", `The stored page would not be taken today: ${cause.message}`, { cause });
  }
}

function compile(html: string, kind: PageKind, { title, options }: CenterContent): CompiledPage {
  const parsed = parsePage(html);
  const { head, hasDoctype, hasTitle, marks, about } = checkHtml(parsed, kind, checkedWhenCompiled);
  const added = [...(hasDoctype ? [] : [{ place: 0, html: doctype }]), { place: head, html: headHtml }, ...marks];
  return {
    template: openTemplate(parsed, added),
    groups: parsed.groups,
    fields: parsed.fields,
    wanted: parsed.wanted,
    about,
    head: `${headOf(options)}${hasTitle ? "" : `<title>${escapeText(title)}</title>`}`,
  };
}

/** Without one browsers draw a page as if it were of the last century. */
const doctype = "<!doctype html>";
