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
export function page({ title, main, mainClass = "", scripts = ["minisearch.js", "docs.js"], styles = [], aside = "" }: Page): string {
  const content = `<main id="content" class="${mainClass}" tabindex="-1">${main}</main>`;
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
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><a class="name" href="/docs">Heddle</a>
<nav><a href="/docs">Start</a> <a href="/docs/calls">Calls</a> <a href="/docs/try">Try</a> <a href="/docs/errors">Errors</a>
<a href="/openapi.json">OpenAPI</a> <a href="/console">Console</a></nav>
${tools}</header>
${aside === "" ? content : `<div class="columns">${aside}${content}</div>`}
${scripts.map((name) => `<script src="/docs/assets/${name}" defer></script>`).join("\n")}
</body>
</html>
`;
}

/** They need scripts. */
const tools =
  `<div class="tools"><input id="search" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off">
<button id="theme" type="button" aria-label="Light or dark">&#9680;</button><ul id="found" hidden></ul></div>`;

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
  readonly mainClass?: string;
  readonly scripts?: readonly string[];
  readonly styles?: readonly string[];
  /** Beside the page. */
  readonly aside?: string;
}
