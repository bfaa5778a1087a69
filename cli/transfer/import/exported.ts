/** A line of `heddle export` as an object of /users/track, and what of the user cannot be carried that way. */

type Fields = Readonly<Record<string, unknown>>;

/** Names of what stays behind. */
export type Left = readonly string[];

/** Fields that mean the same where they are sent as where they are exported. */
const carried = [
  "first_name",
  "last_name",
  "email",
  "dob",
  "home_city",
  "country",
  "phone",
  "language",
  "time_zone",
  "gender",
  "image_url",
  "facebook",
  "twitter",
  "date_of_first_session",
  "date_of_last_session",
  "marked_email_as_spam_at",
  "push_subscribe",
  "email_subscribe",
  "email_open_tracking_disabled",
  "email_click_tracking_disabled",
  "push_tokens",
] as const;

const handled: ReadonlySet<string> = new Set([...carried, "external_id", "user_aliases", "custom_attributes", "last_coordinates"]);
/** Given anew by the Heddle that takes the user in. */
const givenAnew: ReadonlySet<string> = new Set(["braze_id", "platform_id", "random_bucket", "created_at", "updated_at"]);

/** A user of an export has the id that Heddle gave it; an object of /users/track that is named by one has a type. */
export function isExportedUser(row: Fields): boolean {
  if (Object.hasOwn(row, "type")) return false;
  if (["braze_id", "platform_id", "custom_attributes", "user_aliases"].some((name) => Object.hasOwn(row, name))) return true;
  return Object.hasOwn(row, "external_id") && (Object.hasOwn(row, "custom_events") || Object.hasOwn(row, "purchases"));
}

/** No object where nothing names the user but the id that the other Heddle gave it. */
export function userFromExport(row: Fields): { readonly object?: Fields; readonly left: Left } {
  const left = Object.keys(row).filter((name) => !handled.has(name) && !givenAnew.has(name) && !isEmpty(row[name]));
  const aliases = listOf(row["user_aliases"]);
  const hasId = !isEmpty(row["external_id"]);
  if (aliases.length > (hasId ? 0 : 1)) left.push(hasId ? "user_aliases" : "user_aliases but the first");
  const name = nameOf(row, aliases);
  if (name === undefined) return { left };
  const object: Record<string, unknown> = { ...name };
  for (const field of carried) if (!isEmpty(row[field]) && !isDefault(field, row[field])) object[field] = row[field];
  const [longitude, latitude] = listOf(row["last_coordinates"]);
  if (longitude !== undefined && latitude !== undefined) object["current_location"] = { longitude, latitude };
  return { object: { ...object, ...customOf(row["custom_attributes"], object) }, left };
}

function nameOf(row: Fields, aliases: readonly unknown[]): Fields | undefined {
  if (!isEmpty(row["external_id"])) return { external_id: row["external_id"] };
  if (aliases.length > 0) return { user_alias: aliases[0], _update_existing_only: false };
  if (!isEmpty(row["email"]) || !isEmpty(row["phone"])) return { _update_existing_only: false };
  return undefined;
}

/** A value that was never set must not become a choice of the user. */
function isDefault(field: string, value: unknown): boolean {
  return field.endsWith("_subscribe") && value === "subscribed";
}

function customOf(custom: unknown, object: Fields): Fields {
  if (typeof custom !== "object" || custom === null) return {};
  return Object.fromEntries(Object.entries(custom).filter(([name]) => !Object.hasOwn(object, name)));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || value === 0 || (Array.isArray(value) && value.length === 0);
}
