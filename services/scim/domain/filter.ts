/** A filter after it was read: what every term asks of which attribute. */
import type { AttributePath } from "./attribute-path.ts";

export type Filter =
  | { readonly kind: "and" | "or"; readonly parts: readonly Filter[] }
  | { readonly kind: "not"; readonly filter: Filter }
  | Compare
  | { readonly kind: "present"; readonly path: AttributePath }
  /** One value of `path` fits `filter`, whose paths begin below it. */
  | { readonly kind: "some"; readonly path: AttributePath; readonly filter: Filter };

export interface Compare {
  readonly kind: "compare";
  readonly path: AttributePath;
  readonly operator: Operator;
  /** Folded as the attribute is compared; a dateTime is Unix milliseconds; null: no value. */
  readonly value: string | number | boolean | null;
  /** As it was written. */
  readonly text: string;
}

export type Operator = "eq" | "ne" | "co" | "sw" | "ew" | "gt" | "ge" | "lt" | "le";

export const operators: ReadonlySet<string> = new Set(["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"]);
