/** Headers of pages that a person opens by a link: the token in their address is the proof, and no header or cache may carry it on. */
import { type Directive, sandboxedPolicy, securityPolicy } from "../../platform/security-policy.ts";

/** Throws where the policy holds anything that no page may have. */
export function personPageHeaders(policy: string): string[] {
  return [
    "Content-Security-Policy",
    sandboxedPolicy(policy),
    "Referrer-Policy",
    "no-referrer",
    "X-Content-Type-Options",
    "nosniff",
    "X-Robots-Tag",
    "noindex, nofollow",
    "Cross-Origin-Opener-Policy",
    "same-origin",
    "Cross-Origin-Resource-Policy",
    "same-origin",
  ];
}

/** Of a page of ours that loads and runs nothing. */
export function closedPolicy(formAction: Directive, sandbox: readonly string[] = []): string {
  return securityPolicy([
    ["default-src", "'none'"],
    ["style-src", "'unsafe-inline'"],
    formAction,
    ["base-uri", "'none'"],
    ["frame-ancestors", "'none'"],
    ["sandbox", ...sandbox],
  ]);
}
