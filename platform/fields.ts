/** JSON objects, as what clients send and what is declared consists of. */

/** Read it by names that are written in the code, or through lists of its entries: other names may be those of Object.prototype. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
