/**
 * The document in which the console shows drafts: a sandbox without an origin, so what stands in it can read nothing of the console, send no
 * form, and ask for nothing as the person signed in. One script of ours runs in it, named by its hash; none of a draft does.
 */
import { createHash } from "node:crypto";
import { securityPolicy } from "../../platform/security-policy.ts";

/**
 * Takes HTML from the page around it alone. What a parser made of a text is never run when it is put into a document. A refresh and a link
 * would act, and what the policy then puts in the place of this document shows no draft any more.
 */
const script = `
addEventListener("message", ({ source, data }) => {
  if (source !== parent || typeof data?.html !== "string") return;
  const { documentElement } = new DOMParser().parseFromString(data.html, "text/html");
  for (const refresh of documentElement.querySelectorAll('meta[http-equiv="refresh" i]')) refresh.remove();
  document.documentElement.replaceWith(document.adoptNode(documentElement));
});
addEventListener("click", (event) => {
  if (event.target.closest("a, area")) event.preventDefault();
});
parent.postMessage({ ready: true }, "*");
`;

export const previewHeaders: readonly string[] = [
  "Content-Security-Policy",
  securityPolicy([
    ["default-src", "'none'"],
    ["script-src", `'sha256-${createHash("sha256").update(script).digest("base64")}'`],
    ["style-src", "'unsafe-inline'"],
    ["img-src", "data:"],
    ["font-src", "data:"],
    ["form-action", "'none'"],
    ["base-uri", "'none'"],
    ["frame-ancestors", "'self'"],
    ["sandbox", "allow-scripts"],
  ]),
  "Referrer-Policy",
  "no-referrer",
  "X-Robots-Tag",
  "noindex",
];

export function previewPage(): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Preview</title></head><body><script>${script}</script></body></html>\n`;
}
