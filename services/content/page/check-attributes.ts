/** Attributes of stored HTML: where Liquid may stand, where a form may be sent, and what a hosted page will not load or run. */
import { addressAttributes, leadingAttributes } from "./html-names.ts";
import { submitUrl } from "./liquid.ts";
import { attribute, type Element, lineOf, type Seen, type WrittenTag } from "./page-element.ts";
import { PageProblem } from "./page-problem.ts";

/** Throws PageProblem. */
export function checkAttributes(tag: WrittenTag, seen: Seen): void {
  const { tagName, line } = tag;
  if (tagName === "base") throw new PageProblem(line, "the tag <base> is not allowed: it would lead the form elsewhere");
  if (seen.masked.marks(tagName).length > 0) throw new PageProblem(line, "Liquid may not make the name of a tag");
  for (const written of tag.attrs) checkAttribute(tag, written, seen);
}

function checkAttribute({ tagName, line }: WrittenTag, { name, value }: WrittenTag["attrs"][number], { masked, kind }: Seen): void {
  if (masked.marks(name).length > 0) throw new PageProblem(line, "Liquid output may not make the name of an attribute");
  if (name === "http-equiv") checkEquivalent({ tagName, line }, { value, kind });
  if ((name === "action" || name === "formaction") && value.trim() !== "") {
    const mark = masked.onlyMark(value);
    if (mark?.name === submitUrl && mark.fixed) return;
    throw new PageProblem(
      line,
      `the ${name} of <${tagName}> must be {{preference_center_submit_url}}, as a form may not lead elsewhere`,
    );
  }
  const marks = masked.marks(value);
  if (marks.length > 0 && addressAttributes.has(name)) {
    throw new PageProblem(line, `Liquid output may not stand in an address (${name} of <${tagName}>)`);
  }
  if (marks.some(({ fixed }) => !fixed) && (leadingAttributes.has(name.toLowerCase()) || name.startsWith("on"))) {
    throw new PageProblem(line, `in the attribute ${name} may stand states, field names and the submit URL only`);
  }
}

function checkEquivalent({ tagName, line }: Omit<WrittenTag, "attrs">, { value, kind }: { value: string; kind: Seen["kind"] }): void {
  if (!/^[\w-]*$/.test(value.trim())) throw new PageProblem(line, "http-equiv must be one word, without Liquid");
  if (tagName !== "meta" || kind === "redirect" || value.trim().toLowerCase() !== "refresh") return;
  throw new PageProblem(line, "a page may not lead elsewhere by itself (meta refresh); redirect_page_html may");
}

/** What stands in the HTML and has no effect on the hosted page, by its Content-Security-Policy. */
export function remoteWarnings(element: Element, { settings, kind }: Seen): string[] {
  const line = `line ${lineOf(element) ?? 1}`;
  const { tagName } = element;
  const warnings: string[] = [];
  const why = kind === "redirect"
    ? 'a redirect page leads on by <meta http-equiv="refresh"> alone'
    : settings.scriptsAllowed
    ? undefined
    : "the workspace does not allow scripts";
  if (why !== undefined && tagName === "script") warnings.push(`${line}: scripts do not run: ${why}`);
  if (why !== undefined && element.attrs.some(({ name }) => name.startsWith("on"))) {
    warnings.push(`${line}: event handlers do not run: ${why}`);
  }
  if (why === undefined && attribute(element, "target")?.toLowerCase() === "_self") {
    warnings.push(`${line}: target="_self" of <${tagName}> leads nowhere, as pages with scripts are shown in a frame: leave it out`);
  }
  if (embedding.has(tagName)) warnings.push(`${line}: <${tagName}> is not shown: pages embed nothing`);
  for (const address of loaded(element)) {
    const origin = originOf(address);
    if (origin !== undefined && !settings.origins.includes(origin)) {
      warnings.push(`${line}: <${tagName}> is not loaded: ${origin} is not among the origins of the workspace's pages`);
    }
  }
  return warnings;
}

const embedding: ReadonlySet<string> = new Set(["iframe", "frame", "object", "embed"]);

function loaded(element: Element): string[] {
  const { tagName } = element;
  if (tagName === "link") return isStyle(element) ? [attribute(element, "href") ?? ""] : [];
  const sets = (attribute(element, "srcset") ?? "").split(",").map((candidate) => candidate.trim().split(/\s/)[0] ?? "");
  return embedding.has(tagName) ? [] : [attribute(element, "src") ?? "", attribute(element, "poster") ?? "", ...sets];
}

function isStyle(element: Element): boolean {
  return (attribute(element, "rel") ?? "").toLowerCase().split(/\s+/).includes("stylesheet");
}

/** Undefined for what loads from nowhere else; a relative address is a path of the page's own host, which has no such thing. */
function originOf(address: string): string | undefined {
  if (address.trim() === "" || /^\s*data:/i.test(address)) return undefined;
  const full = address.startsWith("//") ? `https:${address}` : address;
  if (!URL.canParse(full)) return "a relative address";
  return new URL(full).origin;
}
