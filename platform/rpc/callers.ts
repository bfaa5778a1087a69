/** Who calls, and what each caller may call. */
import type { TLSSocket } from "node:tls";
import type { DescMethod } from "@bufbuild/protobuf";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";

/**
 * Names of callers by "package.Service/Method" or, for all methods of a service, "package.Service".
 * What is not listed is allowed to no caller; the name "*" is any caller.
 */
export type CallerRules = ReadonlyMap<string, readonly string[]>;

/** Where a caller without a certificate says its name. */
export const callerHeader = "heddle-caller";

/** Refuses CALLER_NOT_ALLOWED unless one of `names` may call `method`. */
export function checkCaller(rules: CallerRules, method: DescMethod, names: readonly string[]): void {
  const service = method.parent.typeName;
  const allowed = rules.get(`${service}/${method.name}`) ?? rules.get(service) ?? [];
  if (allowed.includes(anybody) || names.some((name) => allowed.includes(name))) return;
  const who = names.length === 0 ? "a caller without a name" : `"${names.join('", "').slice(0, limits.quotedCharsMax)}"`;
  throw new Refusal("CALLER_NOT_ALLOWED", `Expected a caller that may use ${service}/${method.name}, got ${who}`);
}

const anybody = "*";

/** The DNS and URI names of the certificate that the other side proved to hold; none where it was not verified. */
export function certificateNames(socket: Pick<TLSSocket, "authorized" | "getPeerCertificate">): readonly string[] {
  if (!socket.authorized) return [];
  return namesOf(socket.getPeerCertificate().subjectaltname ?? "");
}

/**
 * Entries are parted by ", "; Node quotes an entry that holds anything that could be taken for the next one, and what
 * is not a plain name is no name of ours.
 */
export function namesOf(alternativeNames: string): readonly string[] {
  return alternativeNames.split(", ").flatMap((entry) => plainName.exec(entry)?.[1] ?? []);
}

const plainName = /^(?:DNS|URI):([A-Za-z0-9][A-Za-z0-9._:/-]*)$/;
