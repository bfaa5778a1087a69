/** Attribute names as clients write them (RFC 7644 section 3.10) to attributes: any case, with or without the schema's name. */
import { lowerAscii } from "../../../platform/address.ts";
import { type Attribute, coreSchema, dashboardSchema, enterpriseSchema, userAttributes } from "./schema.ts";

/** From the top level down: `[name, givenName]`. */
export type AttributePath = readonly [Attribute, ...Attribute[]];

/** Undefined where no attribute has the name. More than one dot is taken, as `permissions.appGroup.appGroupName`. */
export function attributePath(text: string): AttributePath | undefined {
  const [first, ...rest] = withoutSchema(text).split(".");
  const root = first === undefined ? undefined : attributeNamed(userAttributes, first);
  if (root === undefined) return undefined;
  const path: [Attribute, ...Attribute[]] = [root];
  let current = root;
  for (const name of rest) {
    const next = attributeNamed(current.sub ?? [], name);
    if (next === undefined) return undefined;
    path.push(next);
    current = next;
  }
  return path;
}

/** The path below `attribute`, for names within brackets. */
export function pathBelow(attribute: Attribute, text: string): AttributePath | undefined {
  const [first, second, ...rest] = text.split(".");
  const found = first === undefined ? undefined : attributeNamed(attribute.sub ?? [], first);
  if (found === undefined || second === undefined) return found && [found];
  const below = pathBelow(found, [second, ...rest].join("."));
  return below && [found, ...below];
}

export function attributeNamed<T extends { readonly name: string }>(attributes: readonly T[], name: string): T | undefined {
  const wanted = lowerAscii(name);
  return attributes.find((attribute) => lowerAscii(attribute.name) === wanted);
}

export function lastOf(path: AttributePath): Attribute {
  return path[path.length - 1] ?? path[0];
}

/** What is compared: of `emails` the `value`. Undefined for other complex attributes, which are not compared as a whole. */
export function withValue(path: AttributePath): AttributePath | undefined {
  const { type, multi, sub = [] } = lastOf(path);
  if (type !== "complex") return path;
  const value = multi && attributeNamed(sub, "value");
  return value && [...path, value];
}

/** How it is written: `name.givenName`. */
export function pathText(path: AttributePath): string {
  return path.map((attribute) => attribute.name).join(".");
}

/** The name without the schema before it: `urn:...:User:name.givenName` is `name.givenName`. */
export function withoutSchema(text: string): string {
  const lower = lowerAscii(text);
  const schema = schemaNames.find((name) => lower.startsWith(`${name}:`));
  return schema === undefined ? text : text.slice(schema.length + 1);
}

export function isSchemaName(text: string): boolean {
  return schemaNames.includes(lowerAscii(text));
}

const schemaNames = [coreSchema, dashboardSchema, enterpriseSchema].map(lowerAscii);
