/**
 * The Content-Security-Policy of hosted pages. The link's token is in the page's address alone, never in its HTML, and no
 * address is sent along (Referrer-Policy); what a page may load is listed, what it may send a form to is itself.
 */
import { plainOrigin } from "../../../platform/origin.ts";
import { securityPolicy } from "../../../platform/security-policy.ts";
import type { PageOptions, PageSettings } from "../domain/center.ts";

/** How a page is shown: by itself, as one that leads on by itself, or in a frame of a document of ours, where alone scripts run. */
export type ShownAs = "plain" | "redirect" | "framed";

/** What a page may do in its sandbox beyond showing itself. */
export const sandboxWords = {
  plain: ["allow-forms", "allow-popups", "allow-popups-to-escape-sandbox"],
  // Browsers let a page in a sandbox lead on by itself only with their word for scripts
  redirect: ["allow-forms", "allow-popups", "allow-popups-to-escape-sandbox", "allow-scripts"],
  // Its links and its form lead on where the person clicks; a script of its own does not
  framed: [
    "allow-forms",
    "allow-popups",
    "allow-popups-to-escape-sandbox",
    "allow-scripts",
    "allow-top-navigation-by-user-activation",
  ],
} as const satisfies Record<ShownAs, readonly string[]>;

/**
 * Every page is in a sandbox without an origin, so nothing of the server's own pages can be reached from it. A frame has the policy of the
 * document around it, in which nothing is of a tenant.
 */
export function pagePolicy(settings: PageSettings, page: { readonly options: PageOptions; readonly as: ShownAs }): string {
  // Also what was stored before hosts were looked at: what is no plain host is left out
  const origins = originsOf(settings.origins);
  const icons = originsOf(page.options.linkTags.map(({ href }) => href));
  const framed = page.as === "framed";
  return securityPolicy([
    ["default-src", "'none'"],
    ["style-src", "'unsafe-inline'", ...origins],
    ["img-src", "data:", ...new Set([...origins, ...icons])],
    ["font-src", "data:", ...origins],
    ["script-src", ...(framed ? ["'unsafe-inline'", ...origins] : ["'none'"])],
    ["form-action", "'self'"],
    ["base-uri", framed ? "'self'" : "'none'"],
    ["frame-ancestors", "'none'"],
    ["sandbox", ...sandboxWords[page.as]],
  ]);
}

function originsOf(addresses: readonly string[]): string[] {
  return addresses.flatMap((address) => plainOrigin(address) ?? []);
}
