/**
 * The Content-Security-Policy of hosted pages. The link's token is in the page's address alone, never in its HTML, and no
 * address is sent along (Referrer-Policy); what a page may load is listed, what it may send a form to is itself.
 */
import type { PageOptions, PageSettings } from "../domain/center.ts";

/** A redirect page may lead elsewhere by itself, which a sandbox without scripts forbids; it runs none either. */
export function pagePolicy(settings: PageSettings, page: { readonly options: PageOptions; readonly redirects: boolean }): string {
  const origins = settings.origins.join(" ");
  const icons = page.options.linkTags.map(({ href }) => new URL(href).origin);
  const directives = [
    "default-src 'none'",
    `style-src 'unsafe-inline' ${origins}`,
    `img-src data: ${[...new Set([...settings.origins, ...icons])].join(" ")}`,
    `font-src data: ${origins}`,
    ...(settings.scriptsAllowed ? [`script-src 'unsafe-inline' ${origins}`] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(page.redirects
      ? []
      : [`sandbox allow-forms allow-popups allow-popups-to-escape-sandbox${settings.scriptsAllowed ? " allow-scripts" : ""}`]),
  ];
  return directives.map((directive) => directive.trim()).join("; ");
}
