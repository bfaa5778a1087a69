/** GET /docs/calls/:operation: one operation as a page: what it takes and gives, a request in four languages, and every refusal it may give. */
import { refusalTable } from "../render/refusal-rest.ts";
import { reasons } from "../../platform/refusal.ts";
import { entryOf, routeName } from "../openapi/document.ts";
import { entries, schemas } from "../openapi/entries.ts";
import { type Entry, tags } from "../openapi/entries/entry.ts";
import { factsOf, pathOf } from "../openapi/operation.ts";
import { reasonsOf } from "../openapi/reasons-of.ts";
import type { Schema } from "../openapi/schemas/schema.ts";
import type { Route } from "../routing/route.ts";
import { markdownHtml } from "./guides.ts";
import { escaped, inline } from "./page.ts";
import { laidOut, languages, sampleOf } from "./samples.ts";

export function callHtml(route: Route): string {
  const entry = entryOf(routeName(route));
  if (entry === undefined) return "";
  const answer = entry.examples.find((example) => example.answer !== undefined)?.answer;
  return `<h1>${escaped(entry.summary)}</h1>
<p class="route"><b class="method">${route.method}</b> <code>${escaped(pathOf(route))}</code>
<a class="try" href="/docs/try#/${encodeURIComponent(entry.tag)}/${entry.operationId}">Try it</a></p>
${markdownHtml([entry.description ?? "", factsOf(route, entry)].join("\n\n"))}
${samplesHtml(route)}
${answer === undefined ? "" : `<h2 id="answer">The answer</h2><pre><code>${escaped(laidOut(answer))}</code></pre>`}
${parametersHtml(entry)}
${entry.body === undefined ? "" : `<h2 id="body">Body</h2>${schemaHtml(entry.body)}`}
${entry.answer === undefined ? "" : `<h2 id="success">Success</h2>${schemaHtml(entry.answer)}`}
<h2 id="refusals">Refusals</h2>
<table><tbody>${
    reasonsOf(route, entry).map((reason) =>
      `<tr><td class="status">${refusalTable[reason].status}</td><td><a href="/docs/errors#${reason}"><code>${reason}</code></a></td><td>${
        inline(reasons[reason])
      }</td></tr>`
    ).join("")
  }</tbody></table>`;
}

/** GET /docs/calls */
export function callsHtml(): string {
  const groups = Object.entries(tags).map(([tag, description]) =>
    `<h2>${escaped(tag)}</h2><p>${escaped(description)}</p><table><tbody>${
      entries.filter((entry) => entry.tag === tag).map((entry) => {
        const [method = "", path = ""] = entry.route.split(" ");
        return `<tr><td><b class="method">${method}</b></td><td><a href="/docs/calls/${entry.operationId}"><code>${
          escaped(pathOf({ path }))
        }</code></a></td><td>${escaped(entry.summary)}</td></tr>`;
      }).join("")
    }</tbody></table>`
  );
  return `<h1>All calls</h1><p>Each with a request in curl, TypeScript, Python and Go, and everything it may answer. <a href="/docs/try">Try them here</a>
with your own key.</p>${groups.join("\n")}`;
}

function samplesHtml(route: Route): string {
  const parts = languages.map((language) => {
    const code = sampleOf(language, route);
    return code === undefined
      ? ""
      : `<div class="sample" data-language="${language}"><h3>${language}</h3><pre><code>${escaped(code)}</code></pre></div>`;
  });
  return `<div class="samples">${parts.join("")}</div>`;
}

function parametersHtml({ parameters = [] }: Entry): string {
  if (parameters.length === 0) return "";
  return `<h2 id="parameters">Parameters</h2><table><tbody>${
    parameters.map((each) =>
      `<tr><td><code>${escaped(each.name)}</code>${each.required ? " <b>required</b>" : ""}</td><td>${each.in}, ${
        escaped(typeText(each.schema))
      }</td><td>${inline(each.description)}</td></tr>`
    ).join("")
  }</tbody></table>`;
}

function schemaHtml(schema: Schema, depth = 0): string {
  const own = resolved(schema);
  const properties = Object.entries(own.properties ?? {});
  if (properties.length === 0) {
    return depth > 0
      ? ""
      : `<p><code>${escaped(typeText(schema))}</code>${own.description === undefined ? "" : ` ${inline(own.description)}`}</p>`;
  }
  const required = new Set(own.required ?? []);
  const rows = properties.map(([name, of]) => {
    const inner = depth < 2 ? schemaHtml(resolved(of).items ?? of, depth + 1) : "";
    return `<li><code>${escaped(name)}</code> <span class="type">${escaped(typeText(of))}${required.has(name) ? ", required" : ""}</span> ${
      inline(resolved(of).description ?? "")
    }${inner === "" ? "" : `<details><summary>Fields</summary>${inner}</details>`}</li>`;
  });
  return `${depth === 0 && own.description !== undefined ? `<p>${inline(own.description)}</p>` : ""}<ul class="fields">${
    rows.join("")
  }</ul>`;
}

function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : schemas[schema.$ref.split("/").at(-1) ?? ""] ?? schema;
}

function typeText(schema: Schema): string {
  const own = resolved(schema);
  if (own.const !== undefined) return JSON.stringify(own.const);
  if (own.enum) return own.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (own.anyOf) return own.anyOf.map(typeText).join(" or ");
  if (own.type === "array") return `list of ${own.items === undefined ? "anything" : typeText(own.items)}`;
  return own.type === undefined ? "anything" : [own.type].flat().join(" or ");
}
