/** The guides of docs/ as pages: which there are, in what order, and their Markdown as HTML without anything that runs. */
import { readFile } from "node:fs/promises";
import { Marked, type Tokens } from "marked";
import { escaped } from "./page.ts";

export interface Guide {
  /** Of the path, and of the file in docs/. */
  readonly name: string;
  readonly title: string;
  /** Instead of docs/NAME.md; from the root. */
  readonly file?: string;
}

export const guideGroups: readonly (readonly [string, readonly Guide[]])[] = [
  ["Use it", [
    { name: "console", title: "The console" },
    { name: "typescript", title: "TypeScript client", file: "client/README.md" },
    { name: "clients", title: "Other languages, gRPC" },
    { name: "users", title: "Users and merges" },
    { name: "consent", title: "Consent" },
    { name: "preference-centers", title: "Preference centers" },
    { name: "translations", title: "Translations" },
    { name: "scim", title: "SCIM" },
    { name: "events", title: "Events" },
    { name: "rpc", title: "RPCs" },
  ]],
  ["Run it", [
    { name: "install", title: "Installing" },
    { name: "declaration", title: "Declaration" },
    { name: "mesh", title: "Mesh" },
    { name: "kubernetes", title: "Kubernetes" },
    { name: "observability", title: "Observability" },
    { name: "lost-servers", title: "Lost servers" },
    { name: "performance", title: "Performance" },
    { name: "capacity", title: "Capacity" },
    { name: "threat-model", title: "Threat model" },
  ]],
  ["Know it", [
    { name: "specification", title: "Specification, tested" },
    { name: "architecture", title: "Architecture" },
    { name: "glossary", title: "Glossary" },
    { name: "testing", title: "Testing" },
    { name: "contributing", title: "Contributing" },
  ]],
];

export const guides: readonly Guide[] = guideGroups.flatMap(([, group]) => group);

const root = new URL("../../", import.meta.url);

export async function guideHtml({ name, file }: Guide): Promise<string> {
  return markdownHtml(await readFile(new URL(file ?? `docs/${name}.md`, root), "utf8"));
}

/** HTML in the Markdown, but for a new line, is shown as text, pictures are left out, and links lead to pages that are served or elsewhere, or are words. */
export function markdownHtml(markdown: string): string {
  const names = new Map<string, number>();
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => text === "<br>" ? text : escaped(text),
      image: ({ text }) => escaped(text),
      code: ({ text, lang }) => lang === "mermaid" && diagramHtml(text),
      heading({ depth, tokens, text }) {
        const name = anchorOf(text);
        const count = names.get(name) ?? 0;
        names.set(name, count + 1);
        return `<h${depth} id="${count === 0 ? name : `${name}-${count}`}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const target = targetOf(href);
        return target === undefined ? words : `<a href="${escaped(target)}">${words}</a>`;
      },
      table(table: Tokens.Table) {
        return `<div class="wide"><table><thead>${rowHtml(table.header, "th")}</thead><tbody>${
          table.rows.map((row) => rowHtml(row, "td")).join("")
        }</tbody></table></div>\n`;
        function rowHtml(cells: readonly Tokens.TableCell[], tag: string): string {
          return `<tr>${
            cells.map((cell) =>
              `<${tag}>${marked.parser([{ type: "text", raw: cell.text, text: cell.text, tokens: cell.tokens } as never])}</${tag}>`
            ).join("")
          }</tr>`;
        }
      },
    },
  });
  return marked.parse(markdown, { async: false });
}

/** Nothing here draws it. */
function diagramHtml(source: string): string {
  return `<details><summary>A diagram, which GitHub and editors draw from this Mermaid source</summary>
<pre><code>${escaped(source)}</code></pre></details>\n`;
}

/** As GitHub writes it. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").trim().replaceAll(" ", "-");
}

function targetOf(href: string): string | undefined {
  if (href.startsWith("#")) return href;
  if (/^https?:\/\//.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const file = path.slice(path.lastIndexOf("/") + 1);
  const guide = path === "errors.md" || path.endsWith("/errors.md")
    ? "errors"
    : guides.find((each) =>
      each.file === undefined ? /^(?:\.\.\/docs\/)?[\w-]+\.md$/.test(path) && file === `${each.name}.md` : path.endsWith(each.file)
    )
      ?.name;
  return guide === undefined ? undefined : `/docs/${guide}${anchor === undefined ? "" : `#${anchor}`}`;
}
