/** Origins of addresses that people write, as they may stand in a header. */

/** Of an https address: `https://host` or `https://host:port`. Undefined where its host is not made of `[a-z0-9.-]`. */
export function plainOrigin(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, port } = new URL(address);
  if (protocol !== "https:" || !/^[a-z0-9.-]+$/.test(hostname)) return undefined;
  return `https://${hostname}${port === "" ? "" : `:${port}`}`;
}
