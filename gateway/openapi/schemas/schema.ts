/** JSON Schema as far as the documents use it, and short forms for writing it. */

type SchemaType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: SchemaType | readonly [SchemaType, "null"];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly (string | null)[];
  readonly const?: string | number | boolean;
  readonly default?: string | number | boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

type Props = Readonly<Record<string, Schema>>;
type More = Omit<Schema, "type" | "properties" | "items">;

/** A schema of the components by its name. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function text(description?: string, more: More = {}): Schema {
  return { type: "string", ...(description === undefined ? {} : { description }), ...more };
}

export function oneOfTexts(values: readonly string[], description?: string, more: More = {}): Schema {
  return { type: "string", enum: values, ...(description === undefined ? {} : { description }), ...more };
}

export function whole(description?: string, more: More = {}): Schema {
  return { type: "integer", ...(description === undefined ? {} : { description }), ...more };
}

/** Of 64 bits, as without the word some generators take 32, which change money. */
export function number(description?: string, more: More = {}): Schema {
  return { type: "number", format: "double", ...(description === undefined ? {} : { description }), ...more };
}

export function flag(description?: string, more: More = {}): Schema {
  return { type: "boolean", ...(description === undefined ? {} : { description }), ...more };
}

export function list(items: Schema, description?: string, more: More = {}): Schema {
  return { type: "array", items, ...(description === undefined ? {} : { description }), ...more };
}

/**
 * An object that may have other members too, which are not looked at. `required` names those it must have. What a member is where it is
 * left out goes into its description: generators take a `default` for a member that is always there, and clients then have to send it.
 */
export function object(members: Props, required: readonly string[] = [], more: More = {}): Schema {
  const properties = Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, withoutDefault(schema)]));
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }), ...more };
}

function withoutDefault({ default: value, ...schema }: Schema): Schema {
  if (value === undefined) return schema;
  return { ...schema, description: `${schema.description === undefined ? "" : `${schema.description} `}${value} unless given.` };
}

/** A text, or a whole number that is taken as text. Two schemas: not every generator reads two types of one. */
export function textOrWhole(description?: string): Schema {
  return { anyOf: [text(), whole()], ...(description === undefined ? {} : { description }) };
}

/** An object by name of member. */
export function mapOf(values: Schema, description?: string): Schema {
  return { type: "object", additionalProperties: values, ...(description === undefined ? {} : { description }) };
}

/** A success of the REST routes: `message` is `success`, word for word. */
export function success(properties: Props = {}, required: readonly string[] = []): Schema {
  return object({ ...properties, message: { type: "string", const: "success" } }, [...required, "message"]);
}
