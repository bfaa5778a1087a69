/** GET /docs: how to make a key, send data, read it back and read errors; below it the reference, where every call can be tried. */
import { entryOf } from "../openapi/document.ts";
import type { RouteName } from "../openapi/entry.ts";
import { escaped, page } from "./page.ts";

export function startPage(): string {
  return page({
    title: "Heddle: documentation",
    styles: ["swagger-ui.css"],
    scripts: ["swagger-ui-bundle.js", "docs.js"],
    main: `<main id="start">
<h1>Your customers' data, in and out</h1>
<p class="lead">Four steps take you from nothing to a profile that you can read. Each can be pasted into a terminal, or tried in the
<a href="#reference">reference</a> below.</p>
<ol class="steps">
<li><h2>Make a key</h2>
<p>The first <code>npm start</code> makes a demo workspace with a key for everything. Another key is made for a purpose, and shown once:</p>
<pre><code>KEY=hdl_...

npx heddle keys create --workspace demo --name backend \\
  --permissions users.track,users.export.ids</code></pre></li>
<li><h2>Send data</h2>
<p>Attributes, events and purchases of users, under your own ids. The answer is 201 when the data is safe on disk.</p>
${curl("POST /users/track")}
${shown("POST /users/track")}</li>
<li><h2>Read it back</h2>
<p>At once: a read waits for what was answered before it arrived.</p>
${curl("POST /users/export/ids")}
${shown("POST /users/export/ids")}</li>
<li><h2>When the answer is no</h2>
<p>A refusal says in words what is wrong, and names its reason in the header <code>X-Heddle-Reason</code>. <a href="/docs/errors">Every
reason is explained</a>, with what to do.</p>
<pre><code>HTTP/1.1 403 Forbidden
X-Heddle-Reason: PERMISSION_MISSING

{ "message": "Access Denied: the API key does not have the permission 'users.track'" }</code></pre>
<ul>
<li><b>401</b> or <b>403</b>: the key is missing, wrong or not allowed. Look at the key.</li>
<li><b>400</b>: the request is wrong. <code>errors</code> names <a href="/docs/errors#objects">each object</a> by its array and place; the
others of a 201 were taken.</li>
<li><b>429</b> or <b>503</b>: not now. Wait as many seconds as <code>Retry-After</code> says and send it again.</li>
<li>No answer at all: send it again with the same <code>Idempotency-Key</code>. It has one effect, however often you send it.</li>
</ul></li>
</ol>
</main>
<section id="reference">
<h1>Reference</h1>
<p>Press <b>Authorize</b>, paste your key under <b>apiKey</b>, open a call and press <b>Execute</b>. Requests go to this server and are real.
Dashboard users (SCIM) take a SCIM token instead.</p>
<div id="swagger"><p>The reference needs JavaScript. The same is in <a href="/openapi.json">/openapi.json</a>.</p></div>
</section>`,
  });
}

/** The first example of the route, for a terminal. The page's script puts the server's own address in. */
function curl(route: RouteName): string {
  const path = route.split(" ")[1] ?? "";
  const body = laidOut(entryOf(route)?.examples[0]?.body);
  return `<pre><code>curl <span class="origin">http://127.0.0.1:8080</span>${path} \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" -d '${escaped(body)}'</code></pre>`;
}

function shown(route: RouteName): string {
  return `<details><summary>The answer</summary><pre><code>${escaped(laidOut(entryOf(route)?.examples[0]?.answer))}</code></pre></details>`;
}

/** JSON with a line for each member, and for each object of an array. */
function laidOut(value: unknown): string {
  const members = Object.entries(value ?? {}).map(([name, member]) => `  ${JSON.stringify(name)}: ${memberText(member)}`);
  return `{\n${members.join(",\n")}\n}`;
}

function memberText(value: unknown): string {
  if (!Array.isArray(value) || !value.some((each) => typeof each === "object")) return line(value);
  return `[\n${value.map((each) => `    ${line(each)}`).join(",\n")}\n  ]`;
}

/** One line, with blanks where a person would put them. */
function line(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/g, " ");
}
