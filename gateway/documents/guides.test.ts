/** Which guides there are, and what their Markdown becomes. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { guides, markdownHtml } from "./guides.ts";

test("every document that docs/README.md lists is a page", () => {
  const list = readFileSync(new URL("../../docs/README.md", import.meta.url), "utf8");
  const listed = [...list.matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name]) => name);
  const pages = new Set(["errors", ...guides.map(({ name }) => name)]);
  expect(listed.length).toBeGreaterThan(20);
  expect(listed.filter((name) => name === undefined || !pages.has(name))).toEqual([]);
});

test("HTML is shown as text, but for a new line within a cell", () => {
  expect(markdownHtml("| a |\n| --- |\n| one<br>two <b>three</b> |")).toContain("one<br>two &lt;b&gt;three&lt;/b&gt;");
});

test.each([
  { block: "```mermaid\na --> b\n```", begins: "<details><summary>" },
  { block: "```sh\na --> b\n```", begins: '<pre><code class="language-sh">' },
])("a block of code is shown, a diagram's only to who opens it: $block", ({ block, begins }) => {
  const html = markdownHtml(block);
  expect(html.startsWith(begins), html).toBe(true);
  expect(html).toContain("a --&gt; b");
});
