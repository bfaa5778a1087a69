/** The console's page: HTML that runs one script of ours and loads nothing from elsewhere. The key is typed by a person. */
import { securityPolicy } from "../../platform/security-policy.ts";

/** Of the page; names and values in turn. Nothing of it may be shown inside another page. */
export const consoleHeaders: readonly string[] = [
  "Content-Security-Policy",
  securityPolicy([
    ["default-src", "'none'"],
    ["script-src", "'self'"],
    ["style-src", "'self'"],
    ["connect-src", "'self'"],
    ["img-src", "'self'"],
    ["form-action", "'none'"],
    ["frame-ancestors", "'none'"],
    ["base-uri", "'none'"],
    ["require-trusted-types-for", "'script'"],
  ]),
  // A page that opens the console in a window of its own gets no hold of it
  "Cross-Origin-Opener-Policy",
  "same-origin",
  "Referrer-Policy",
  "no-referrer",
  "X-Robots-Tag",
  "noindex",
];

export function consolePage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Heddle console</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png" type="image/png">
<link rel="stylesheet" href="/console/assets/console.css">
<script src="/console/assets/console.js" defer></script>
</head>
<body>
<header><h1>Heddle console</h1><p id="where"></p><button id="leave" type="button" hidden>Forget the key</button></header>
<main>
<noscript><p class="notice">The console needs JavaScript.</p></noscript>
<form id="enter" autocomplete="off">
<label for="key">API key with the permission <code>console.view</code></label>
<div class="row"><input id="key" type="password" autocomplete="off" spellcheck="false" required><button type="submit">Open</button></div>
<p class="hint">The key stays in the memory of this page: it is gone when the page is closed or loaded again.</p>
</form>
<p id="problem" class="notice" role="alert" hidden></p>
<div id="board" hidden>
<section><h2>State</h2><dl id="state" class="tiles"></dl></section>
<section><h2>Requests a second, the last minute</h2><figure id="throughput"></figure></section>
<section><h2>Routes</h2><div id="routes" class="scroll"></div></section>
<section><h2>Limits</h2><ul id="limits"></ul></section>
<section><h2>Last refused requests</h2><div id="errors" class="scroll"></div></section>
<section id="lookup"><h2>Look up a user</h2>
<form id="find" autocomplete="off"><div class="row">
<select id="by" aria-label="Kind of identifier"><option value="external_id">External ID</option><option value="email">Email</option>
<option value="phone">Phone</option><option value="user_alias">Alias</option><option value="platform_id">Platform ID</option></select>
<input id="label" aria-label="Label of the alias" placeholder="label" autocomplete="off" spellcheck="false" hidden>
<input id="name" aria-label="Identifier" autocomplete="off" spellcheck="false" required><button type="submit">Look up</button></div></form>
<div id="users"></div></section>
</div>
</main>
</body>
</html>
`;
}
