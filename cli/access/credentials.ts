/** What heddle keys and heddle scim-tokens share: an API key and a SCIM token are made, revoked and rotated alike. */
import { addressRange } from "../../gateway/access/address-range.ts";
import type { FolderOptions } from "../target/access-target.ts";
import { asCalled } from "../shell/called-as.ts";
import { counted, exitCodes, isoTime, type JsonOption, printResult, UsageError } from "../shell/output.ts";

interface Credential {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

export interface RotateOptions extends FolderOptions {
  readonly overlapHours?: number;
}

/** When it was made and when it ends, in ISO 8601. */
export function lifeOf({ createdAt, revokedAt }: Pick<Credential, "createdAt" | "revokedAt">) {
  return { createdAt: isoTime(createdAt), revokedAt: revokedAt === null ? null : isoTime(revokedAt) };
}

/** The texts, which spaces, commas or both separate. */
export function listed(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(",")).map((text) => text.trim()).filter((text) => text !== "");
}

/** From where it may be used. Throws UsageError for what is no address. */
export function addressesOf({ allowIp = [] }: { readonly allowIp?: readonly string[] }): string[] {
  const addresses = listed(allowIp);
  const wrong = addresses.find((address) => !addressRange(address));
  if (wrong !== undefined) throw new UsageError(`"${wrong}" is neither an IP address nor a range such as 10.0.0.0/8`);
  return addresses;
}

/** Milliseconds that the old one stays valid; undefined: until it is revoked. */
export function overlapMsOf({ overlapHours }: RotateOptions): number | undefined {
  return overlapHours === undefined ? undefined : Math.round(overlapHours * 3_600_000);
}

/** `lines`: the first says what was made, the others stand behind its secret. */
export function printMade(made: Credential & { readonly secret: string }, lines: readonly string[], options: JsonOption): number {
  const [what, ...more] = lines;
  const text = [`${what}. Its secret, shown once, keep it now:`, `  ${made.secret}`, ...more].join("\n");
  printResult(options, { ...made, ...lifeOf(made) }, text);
  return exitCodes.ok;
}

/** `what`: as in "key". */
export function printRevoked(revoked: Credential, what: string, options: JsonOption): number {
  const { id, name } = revoked;
  const text = `The ${what} ${id} (${name}) is revoked; a running server refuses it within a second`;
  printResult(options, { id, name, ...lifeOf(revoked) }, text);
  return exitCodes.ok;
}

interface Old {
  /** As in "key". */
  readonly what: string;
  readonly id: string;
  /** As in "keys". */
  readonly commands: string;
}

/** How long one that was rotated goes on. */
export function oldText({ what, id, commands }: Old, { overlapHours }: RotateOptions): string {
  return overlapHours === undefined
    ? asCalled(`The old ${what} stays valid until you revoke it: heddle ${commands} revoke ${id}`)
    : `The old ${what} ${id} stays valid for ${counted(overlapHours, "hour")}`;
}
