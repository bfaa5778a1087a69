/** GET /docs: how to make a key, send data, read it back and read errors, and where to read on; GET /docs/try: where calls can be tried. */
import { entryOf } from "../openapi/document.ts";
import type { RouteName } from "../openapi/entries/entry.ts";
import { guideGroups } from "./guides.ts";
import { escaped, page } from "./page.ts";
import { laidOut } from "./samples.ts";

export function startPage(): string {
  return page({
    title: "Heddle: documentation",
    aside: guideList(),
    main: `<h1>Your customers' data, in and out</h1>
<p class="lead">Four steps take you from nothing to a profile that you can read. Each can be pasted into a terminal, or tried in the
<a href="/docs/try">browser</a>.</p>
<ol class="steps">
<li><h2>Make a key</h2>
<p>The first <code>npm start</code> makes a demo workspace with a key for everything. Another key is made for a purpose, and shown once:</p>
<pre><code>KEY=hdl_...

npx heddle keys create --workspace demo/demo --name backend \\
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
<h2>Read on</h2>
<ul><li><a href="/docs/calls">All calls</a>, each in curl, TypeScript, Python and Go</li>
<li><a href="/docs/typescript">The TypeScript client</a>, with a queue, and <a href="/docs/clients">clients of other languages</a></li>
<li><a href="/docs/users">Users and merges</a>, <a href="/docs/consent">consent</a>, <a href="/docs/preference-centers">preference centers</a></li></ul>`,
  });
}

/** GET /docs/try */
export function tryPage(): string {
  return page({
    title: "Heddle: try it",
    styles: ["swagger-ui.css"],
    scripts: ["swagger-ui-bundle.js", "try.js", "minisearch.js", "docs.js"],
    main: `<h1>Try it</h1>
<p>Press <b>Authorize</b>, paste your key under <b>apiKey</b>, open a call and press <b>Execute</b>. Requests go to this server and are real.
Dashboard users (SCIM) take a SCIM token instead. To read, <a href="/docs/calls">all calls</a> are there as pages.</p>
<div id="swagger"><p>This needs JavaScript. The same is in <a href="/openapi.json">/openapi.json</a>.</p></div>`,
  });
}

/** The guides, beside each page. */
export function guideList(current = ""): string {
  const groups = guideGroups.map(([title, group]) =>
    `<h2>${title}</h2><ul>${
      group.map((guide) =>
        `<li><a href="/docs/${guide.name}"${guide.name === current ? ' aria-current="page"' : ""}>${guide.title}</a></li>`
      ).join("")
    }</ul>`
  );
  return `<details class="guides"><summary>Guides</summary><nav>${groups.join("")}</nav></details>`;
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
