/** The statements of the specification as a page of Markdown. */
import type { Section, Statement } from "./read-statements.ts";

const opening = `# What the specification says, and the test of each statement

Generated from \`test/statements\` by \`npm run reference\`. Each statement of the service description (\`description/...\`), and of the
facts that settle what it leaves open (\`facts/...\`), stands here in our own words, under the section where it is found there, with the
test in \`test/http\` that tries it. Those tests run unchanged on one process, on Node and on Deno, and on the mesh; where one does not,
the statement says why. \`npm run check\` fails when a statement has no test or names one that does not exist, \`npm test\` when one did
not run. What is open does not hold yet: it is counted here and by the check.`;

export function specificationMarkdown(sections: readonly Section[]): string {
  const statements = sections.flatMap((section) => section.statements);
  const open = statements.filter((one) => one.open !== undefined);
  const untestable = statements.filter((one) => one.untestable !== undefined);
  const tried = statements.length - open.length - untestable.length;
  const list = open.map(({ id, says, open }) => `- \`${id}\` ${escaped(says)}: ${escaped(open ?? "")}`);
  return [
    opening,
    "",
    `${statements.length} statements: ${tried} tried, ${untestable.length} that no request can show, ${open.length} open.`,
    "",
    ...(list.length === 0 ? [] : ["## Open", "", ...list, ""]),
    ...sections.map(sectionMarkdown),
  ].join("\n");
}

function sectionMarkdown({ id, title, statements }: Section): string {
  const rows = statements.map((one) => `| ${one.id.slice(id.length + 1)} | ${escaped(one.says)} | ${triedBy(one)} |`);
  return [`## ${title}`, "", `\`${id}\``, "", "| | says | tried by |", "| --- | --- | --- |", ...rows, ""].join("\n");
}

function triedBy({ tests, notOn, untestable, open }: Statement): string {
  return [
    ...tests.map(({ path, title }) => `${path.replace(/^test\/http\//, "").replace(/[.]test[.]ts$/, "")}: ${escaped(title)}`),
    ...Array.from(notOn, ([shape, reason]) => `Not on ${shape}: ${escaped(reason)}`),
    ...(untestable === undefined ? [] : [`Not tried: ${escaped(untestable)}`]),
    ...(open === undefined ? [] : [`**Open:** ${escaped(open)}`]),
  ].join("<br>");
}

function escaped(text: string): string {
  return text.replaceAll(/[\\|<>*_[\]`]/g, "\\$&");
}
