/** PATCH (RFC 7644 section 3.5.2): operations on a user, read and applied one after the other; pure. */
import { lowerAscii } from "../../../platform/address.ts";
import { checkSchemas, type Fields, isFields, member } from "../../../platform/fields.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { isSchemaName, withoutSchema } from "./attribute-path.ts";
import { quoted } from "./check-values.ts";
import { applyChange, type Change } from "./patch-change.ts";
import { parsePatchPath, patchPathOrIgnored } from "./patch-path.ts";
import { coreSchema } from "./schema.ts";

export const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

export interface Patched {
  /** A body as PUT takes it. */
  readonly body: Fields;
  /** Attributes that the operations name and that are not kept. */
  readonly ignored: readonly string[];
}

/**
 * The user (as render-user.ts gives it) after all operations; a refusal means that none counts. `op` in any case, and
 * without a path also with paths as names of the value, as Entra ID sends them. Refuses BODY_SHAPE_INVALID, PATH_INVALID,
 * FILTER_INVALID, TARGET_MISSING, ATTRIBUTE_READ_ONLY, INPUT_INVALID.
 */
export function patchUser(resource: Fields, body: unknown): Patched {
  const ignored: string[] = [];
  let current: Fields = resource;
  for (const operation of operationsOf(body)) {
    for (const change of changesOf(operation, ignored)) current = applyChange(current, change);
  }
  // A body without them would leave rights as they were
  const permissions = member(current, "permissions") ?? {};
  return { body: { ...current, schemas: [coreSchema], permissions }, ignored };
}

interface Operation {
  readonly op: Change["op"];
  readonly path: unknown;
  readonly value: unknown;
}

function operationsOf(body: unknown): readonly Operation[] {
  if (!isFields(body)) throw shape("The body must be a JSON object");
  checkSchemas(body, patchSchema);
  const list = Object.entries(body).find(([name]) => lowerAscii(name) === "operations")?.[1];
  if (!Array.isArray(list) || list.length === 0) throw shape("'Operations' must be an array of at least one operation");
  if (list.length > limits.scimOperationsMax) throw shape(`'Operations' has at most ${limits.scimOperationsMax} entries`);
  return list.map(operationOf);
}

function operationOf(value: unknown): Operation {
  if (!isFields(value)) throw shape("Every operation must be an object");
  const members = new Map(Object.entries(value).map(([name, inner]) => [lowerAscii(name), inner]));
  const op = members.get("op");
  const word = typeof op === "string" ? lowerAscii(op) : "";
  if (word !== "add" && word !== "replace" && word !== "remove") throw shape("'op' must be add, replace or remove");
  return { op: word, path: members.get("path"), value: members.get("value") };
}

function changesOf({ op, path, value }: Operation, ignored: string[]): readonly Change[] {
  if (path !== undefined && path !== null && path !== "") {
    if (typeof path !== "string") throw new Refusal("PATH_INVALID", "'path' must be a text");
    if (isSchemaName(path)) return changesOfSchema(path, { op, value }, ignored);
    return changeAt(path, { op, value }, ignored);
  }
  if (op === "remove") throw new Refusal("TARGET_MISSING", "'remove' needs a 'path'");
  if (!isFields(value)) throw shape(`'${op}' without a 'path' needs an object as 'value'`);
  return Object.entries(value).flatMap(([name, inner]) => changesByName(name, { op, value: inner }, ignored));
}

/** A schema as the path means its attributes: those of the value, or the one that both extensions require. */
function changesOfSchema(schema: string, { op, value }: Pick<Change, "op" | "value">, ignored: string[]): readonly Change[] {
  if (op === "remove") return changeAt("department", { op, value: undefined }, ignored);
  if (!isFields(value)) throw shape(`'${op}' of a schema needs an object as 'value'`);
  return changesByName(schema, { op, value }, ignored);
}

/** A name of the value: an attribute, a path, or a schema with attributes below it. What a client may not set is passed over. */
function changesByName(name: string, of: Pick<Change, "op" | "value">, ignored: string[]): readonly Change[] {
  const attribute = lowerAscii(withoutSchema(name));
  // Below a schema of ours stands an attribute, whose object is its value
  if (attribute.startsWith("urn:") && isFields(of.value)) {
    return Object.entries(of.value).flatMap(([inner, value]) => changesByName(`${name}:${inner}`, { op: of.op, value }, ignored));
  }
  if (["schemas", "id", "meta"].includes(attribute)) return [];
  return changeAt(name, of, ignored);
}

function changeAt(path: string, { op, value }: Pick<Change, "op" | "value">, ignored: string[]): readonly Change[] {
  if (patchPathOrIgnored(path) === "ignored") {
    ignored.push(quoted(path));
    return [];
  }
  if (op !== "remove" && value === undefined) throw shape(`'${op}' needs a 'value'`);
  return [{ op, path: parsePatchPath(path), value }];
}

function shape(text: string): Refusal {
  return new Refusal("BODY_SHAPE_INVALID", text);
}
