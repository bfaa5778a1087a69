/** The console's page: HTML that runs one script of ours and loads nothing from elsewhere. What runs is in static/: modules as they lie there. */
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
    // Drafts of pages, in a sandbox
    ["frame-src", "'self'"],
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
<script type="module" src="/console/assets/console.js"></script>
</head>
<body>
<div id="app"><noscript><p class="notice bad">The console needs JavaScript.</p></noscript></div>
</body>
</html>
`;
}
