/**
 * The Content-Security-Policy of hosted pages. The link's token is in the page's address alone, never in its HTML, and no
 * address is sent along (Referrer-Policy); what a page may load is listed, what it may send a form to is itself.
 */
import { plainOrigin } from "../../../platform/origin.ts";
import { securityPolicy } from "../../../platform/security-policy.ts";
import type { PageOptions, PageSettings } from "../domain/center.ts";

/**
 * Every page is in a sandbox without an origin, so nothing of the server's own pages can be reached from it. A redirect page may
 * lead elsewhere by itself, which browsers allow in a sandbox only with its word for scripts; without a `script-src` none runs.
 */
export function pagePolicy(settings: PageSettings, page: { readonly options: PageOptions; readonly redirects: boolean }): string {
  // Also what was stored before hosts were looked at: what is no plain host is left out
  const origins = originsOf(settings.origins);
  const icons = originsOf(page.options.linkTags.map(({ href }) => href));
  const scripted = settings.scriptsAllowed || page.redirects ? ["allow-scripts"] : [];
  return securityPolicy([
    ["default-src", "'none'"],
    ["style-src", "'unsafe-inline'", ...origins],
    ["img-src", "data:", ...new Set([...origins, ...icons])],
    ["font-src", "data:", ...origins],
    ["script-src", ...(settings.scriptsAllowed ? ["'unsafe-inline'", ...origins] : ["'none'"])],
    ["form-action", "'self'"],
    ["base-uri", "'none'"],
    ["frame-ancestors", "'none'"],
    ["sandbox", "allow-forms", "allow-popups", "allow-popups-to-escape-sandbox", ...scripted],
  ]);
}

function originsOf(addresses: readonly string[]): string[] {
  return addresses.flatMap((address) => plainOrigin(address) ?? []);
}
