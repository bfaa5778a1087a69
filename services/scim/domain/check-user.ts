/** Bodies of POST and PUT to what they set. */
import { lowerAscii } from "../../../platform/address.ts";
import { asList, checkSchemas, type Fields, isFields, isPresent, member } from "../../../platform/fields.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { withoutEnds } from "../../../platform/text-ends.ts";
import { attributeNamed, isSchemaName, withoutSchema } from "./attribute-path.ts";
import { checkPermissions } from "./check-permissions.ts";
import { booleanOf, invalid, optionalText, quoted, requiredText, wordsOf } from "./check-values.ts";
import { type Attribute, coreSchema, userAttributes } from "./schema.ts";
import type { Directory, Email, Permissions, Profile } from "./user.ts";
import { departments } from "./vocabulary.ts";

/** What a body says. */
export interface Draft {
  /** Absent where the body does not name it. */
  readonly userName?: string;
  /** Absent where the body does not name it. */
  readonly active?: boolean;
  readonly profile: Omit<Profile, "active">;
  /** Absent where the body does not name them. */
  readonly permissions?: Permissions;
  /** Attributes that were sent and are not kept, for the log. */
  readonly ignored: readonly string[];
}

/**
 * Reads a user. Names in any case; attributes of the extension at the top level, as the description shows them, or under
 * their schema. Read-only attributes and those that nothing keeps are passed over (RFC 7644 section 3.3).
 * Refuses INPUT_INVALID by name, BODY_SHAPE_INVALID where it is no user at all.
 */
export function checkUser(body: unknown, directory: Directory): Draft {
  if (!isFields(body)) throw new Refusal("BODY_SHAPE_INVALID", "The body must be a JSON object");
  checkSchemas(body, coreSchema);
  const { known, ignored } = gather(body);
  const userName = optionalText(member(known, "userName"), "userName");
  const permissions = member(known, "permissions");
  const active = member(known, "active");
  return {
    ...(userName === undefined ? {} : { userName: withoutEnds(userName, " ") }),
    ...(isPresent(active) ? { active: booleanOf(active, "active") } : {}),
    profile: checkProfile(known),
    ...(permissions !== undefined && permissions !== null ? { permissions: checkPermissions(permissions, directory) } : {}),
    ignored,
  };
}

/** The members by the names of the schema. */
function gather(body: Fields): { readonly known: Fields; readonly ignored: readonly string[] } {
  const known = new Map<string, unknown>();
  const ignored: string[] = [];
  function take(key: string, value: unknown): void {
    const attribute = attributeNamed(userAttributes, withoutSchema(key));
    if (attribute === undefined) ignored.push(quoted(key));
    else if (attribute.mutability !== "readOnly") put(known, attribute.name, value);
  }
  for (const [key, value] of Object.entries(body)) {
    if (isSchemaName(key) && isFields(value)) { for (const [inner, each] of Object.entries(value)) takeInner(inner, each, key); }
    else take(key, value);
  }
  /** The enterprise extension has a department of its own: the one at the top level goes first. */
  function takeInner(inner: string, value: unknown, schema: string): void {
    const attribute = attributeNamed(userAttributes, inner);
    if (attribute?.name === "department" && (known.has("department") || topLevel(body, "department"))) return;
    take(`${schema}:${inner}`, value);
  }
  return { known: Object.fromEntries(known), ignored };
}

function topLevel(body: Fields, name: string): boolean {
  return Object.keys(body).some((key) => lowerAscii(key) === name);
}

function put(known: Map<string, unknown>, name: string, value: unknown): void {
  if (known.has(name)) throw invalid(`'${name}' is sent twice`);
  known.set(name, value);
}

function checkProfile(fields: Fields): Omit<Profile, "active"> {
  const externalId = optionalText(member(fields, "externalId"), "externalId");
  const displayName = optionalText(member(fields, "displayName"), "displayName");
  return {
    ...(externalId === undefined ? {} : { externalId }),
    ...checkName(member(fields, "name")),
    ...(displayName === undefined ? {} : { displayName }),
    emails: checkEmails(member(fields, "emails")),
    department: checkDepartment(member(fields, "department")),
  };
}

function checkName(value: unknown): { givenName: string; familyName: string } {
  if (!isFields(value)) throw invalid("'name' is required: an object with 'givenName' and 'familyName'");
  const name = parts(value, attributeNamed(userAttributes, "name"));
  return {
    givenName: requiredText(member(name, "givenName"), "name.givenName"),
    familyName: requiredText(member(name, "familyName"), "name.familyName"),
  };
}

function checkDepartment(value: unknown): string {
  const department = requiredText(value, "department");
  wordsOf([department], { name: "department", what: "department", allowed: departments });
  return department;
}

function checkEmails(value: unknown): readonly Email[] {
  const list = asList(value);
  if (list.length > limits.scimEmailsMax) throw invalid(`'emails' has at most ${limits.scimEmailsMax} entries`);
  const emails = list.map(checkEmail);
  if (emails.filter(({ primary }) => primary).length > 1) throw invalid("'emails' has more than one 'primary'");
  return emails;
}

function checkEmail(value: unknown): Email {
  if (!isFields(value)) throw invalid("'emails' must be an array of objects with a 'value'");
  const fields = parts(value, attributeNamed(userAttributes, "emails"));
  const display = optionalText(member(fields, "display"), "emails.display");
  const type = optionalText(member(fields, "type"), "emails.type");
  const primary = member(fields, "primary");
  return {
    value: requiredText(member(fields, "value"), "emails.value"),
    ...(display === undefined ? {} : { display }),
    ...(type === undefined ? {} : { type }),
    ...(isPresent(primary) ? { primary: booleanOf(primary, "emails.primary") } : {}),
  };
}

/** The known members of a complex value; others are passed over as at the top level. */
function parts(value: Fields, attribute: Attribute | undefined): Fields {
  const known = new Map<string, unknown>();
  for (const [key, inner] of Object.entries(value)) {
    const found = attributeNamed(attribute?.sub ?? [], key);
    if (found) put(known, found.name, inner);
  }
  return Object.fromEntries(known);
}
