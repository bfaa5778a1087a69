/** Content-Security-Policy headers: the one place that puts them together, from a closed list of words and from parsed origins. */
import { plainOrigin } from "./origin.ts";

/** A directive and its sources. */
export type Directive = readonly [name: string, ...sources: string[]];

/** Throws where a directive is not known or a source is no word of the list, no hash and no origin as `plainOrigin()` writes it. */
export function securityPolicy(directives: readonly Directive[]): string {
  return directives.map(directiveText).join("; ");
}

/**
 * A policy of a hosted page that came from elsewhere. Throws where `securityPolicy()` could not have made it. It always takes the
 * page's origin away, also where a service of an earlier version left that out: no page of a tenant has the origin of the console.
 */
export function sandboxedPolicy(text: string): string {
  const directives = text.split("; ").map((directive) => directive.split(" ") as unknown as Directive);
  return securityPolicy(directives.some(([name]) => name === "sandbox") ? directives : [...directives, earlierSandbox]);
}

/** As redirect pages have it, which went without one. */
const earlierSandbox: Directive = ["sandbox", "allow-forms", "allow-popups", "allow-popups-to-escape-sandbox", "allow-scripts"];

function directiveText([name, ...sources]: Directive): string {
  if (!names.has(name)) throw new Error(`A security policy has no directive "${name}"`);
  const wrong = sources.find((source) => !words.has(source) && !hash.test(source) && plainOrigin(source) !== source);
  if (wrong !== undefined) throw new Error(`A security policy may not name the source "${wrong}"`);
  return [name, ...sources].join(" ");
}

/** Of one script of ours. */
const hash = /^'sha256-[A-Za-z0-9+/]{43}='$/;

const names: ReadonlySet<string> = new Set([
  "default-src",
  "script-src",
  "style-src",
  "img-src",
  "font-src",
  "connect-src",
  "frame-src",
  "form-action",
  "base-uri",
  "frame-ancestors",
  "require-trusted-types-for",
  "sandbox",
]);

/** Nothing here gives a sandboxed page its origin back. */
const words: ReadonlySet<string> = new Set([
  "'none'",
  "'self'",
  "'unsafe-inline'",
  "'script'",
  "data:",
  "allow-forms",
  "allow-popups",
  "allow-popups-to-escape-sandbox",
  "allow-scripts",
  // Of a frame: a person's own click leads on, a script does not
  "allow-top-navigation-by-user-activation",
]);
