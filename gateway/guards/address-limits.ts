/** Limits of callers without a key: refused requests and uses of links, by the address that they come from and by the link. */
import { isIPv6 } from "node:net";
import type { Clock } from "../../platform/clock.ts";
import { sha256Hex } from "../../platform/identifier.ts";
import { openMemoryLimiter } from "../../platform/limiter/memory.ts";
import { limits } from "../../platform/limits.ts";
import { Refusal } from "../../platform/refusal.ts";
import type { HttpRequest } from "../http/http-message.ts";
import { addressLimits } from "../access/limits-table.ts";
import { type AddressRule, clientAddress } from "./client-address.ts";

export interface AddressLimits {
  /** Counts an answer of 401 or 403. The refusal to give in its place, where there were too many of them. */
  refused(request: Sender): Refusal | undefined;
  /** Counts a use of the link. Throws RATE_LIMITED. */
  useLink(request: Sender, token: string): void;
}

type Sender = Pick<HttpRequest, "headers" | "remoteAddress">;

/**
 * In the memory of this process, so that no answer waits for it, and bounded: of more addresses than fit, the one that was quiet for longest
 * starts anew. Nothing is asked of a request with a good key.
 */
export function openAddressLimits({ clock, addresses }: { readonly clock: Clock; readonly addresses: AddressRule }): AddressLimits {
  const limiter = openMemoryLimiter({ clock, keysMax: limits.addressLimitKeysMax });
  function take(name: keyof typeof addressLimits, of: string): Refusal | undefined {
    const { granted, buckets: [level] } = limiter.draw({
      buckets: [{ key: `${name}:${of}`, bucket: addressLimits[name] }],
      cost: 1,
      count: 1,
    });
    const retryAfterMs = level?.retryAfterMs ?? 0;
    return granted > 0
      ? undefined
      : new Refusal("RATE_LIMITED", undefined, { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / millis)) });
  }
  return {
    refused: (request) => take("refused_requests", networkOf(clientAddress(request, addresses) ?? request.remoteAddress)),
    useLink(request, token) {
      const refusal = take("public_requests", networkOf(clientAddress(request, addresses) ?? request.remoteAddress)) ??
        take("link_uses", sha256Hex(token).slice(0, linkChars));
      if (refusal) throw refusal;
    },
  };
}

/** One customer of an internet provider has a whole /64 of IPv6 and can take any address of it. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("%")[0]?.split("::") ?? [];
  const front = head === "" ? [] : head.split(":");
  const back = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, groups - front.length - back.length) }, () => "0");
  const all = tail === undefined ? front : [...front, ...zeros, ...back];
  return all.slice(0, networkGroups).map((group) => Number.parseInt(group, 16).toString(16)).join(":");
}

const groups = 8;
const networkGroups = 4;
const linkChars = 32;
const millis = 1_000;
