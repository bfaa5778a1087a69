/** The frame of the pages below /docs: HTML that runs no script but the package's and one of ours, and loads nothing from elsewhere. */
import { securityPolicy } from "../../platform/security-policy.ts";

/** Of all pages below /docs; names and values in turn. */
export const pageHeaders: readonly string[] = [
  "Content-Security-Policy",
  securityPolicy([
    ["default-src", "'none'"],
    ["script-src", "'self'"],
    ["style-src", "'self'"],
    ["img-src", "'self'", "data:"],
    ["connect-src", "'self'"],
    ["form-action", "'none'"],
    ["frame-ancestors", "'none'"],
    ["base-uri", "'none'"],
  ]),
  "Referrer-Policy",
  "no-referrer",
];

/** `main` is HTML; whatever it quotes is escaped already. */
export function page({ title, main, scripts = [], styles = [] }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png" type="image/png">
${[...styles, "docs.css"].map((name) => `<link rel="stylesheet" href="/docs/assets/${name}">`).join("\n")}
</head>
<body>
<header class="bar"><a class="name" href="/docs">Heddle</a>
<nav><a href="/docs#start">Start</a> <a href="/docs#reference">Reference</a> <a href="/docs/errors">Errors</a>
<a href="/openapi.json">OpenAPI</a> <a href="/console">Console</a></nav></header>
${main}
${scripts.map((name) => `<script src="/docs/assets/${name}" defer></script>`).join("\n")}
</body>
</html>
`;
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Escaped, with what stands between backticks as code. */
export function inline(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

interface Page {
  readonly title: string;
  readonly main: string;
  readonly scripts?: readonly string[];
  readonly styles?: readonly string[];
}
