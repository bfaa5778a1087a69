/** Addresses and CIDR ranges, as the allow lists of keys and the list of trusted proxies name them. */
import { BlockList, isIP } from "node:net";

interface AddressRange {
  readonly address: string;
  readonly bits: number;
  readonly family: "ipv4" | "ipv6";
}

/** Undefined for what is neither. An address with a zone is none, as runtimes differ in what they make of it. */
export function addressRange(text: string): AddressRange | undefined {
  const [address = "", bits, ...more] = text.split("/");
  if (isIP(address) === 0 || address.includes("%") || more.length > 0) return undefined;
  const family = familyOf(address);
  const bitsMax = family === "ipv4" ? 32 : 128;
  if (bits === undefined) return { address, bits: bitsMax, family };
  return /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax ? { address, bits: Number(bits), family } : undefined;
}

/** A list to check against. An entry that cannot be read holds no address. */
export function addressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of entries.map(addressRange)) {
    if (range) list.addSubnet(range.address, range.bits, range.family);
  }
  return list;
}

export function contains(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
