/** The parts of a declaration that many things share: names, ids, secrets, addresses, and the rule that nothing stands twice. */
import { limits } from "../../../platform/limits.ts";
import { addressRange } from "../address-range.ts";
import type { DeclaredHolder } from "./declared.ts";
import type { DeclarationReader, Place } from "./declaration-reader.ts";
import { secretProblem } from "../secret.ts";

/** Name and id of anything that has them. A missing name is a problem, and "" stands for it. */
export function readItem(
  reader: DeclarationReader,
  place: Place,
  fields: ReadonlyMap<string, Place>,
): { line: number; name: string; id?: string } {
  const name = readName(reader, place, fields);
  const idPlace = fields.get("id");
  const id = idPlace && readId(reader, idPlace);
  return { line: place.line, name, ...(id === undefined ? {} : { id }) };
}

/** What an API key and a SCIM token share. */
export function readHolder(reader: DeclarationReader, place: Place, fields: ReadonlyMap<string, Place>): DeclaredHolder {
  const secretPlace = fields.get("secret");
  const secret = secretPlace && readSecret(reader, secretPlace);
  const allow = fields.get("ipAllow");
  const addresses = reader.items(allow).map((item) => readAddress(reader, item)).filter((address) => address !== undefined);
  return {
    line: place.line,
    name: readName(reader, place, fields),
    ...(secret === undefined ? {} : { secret }),
    ...(allow ? { ipAllow: addresses } : {}),
  };
}

/** Notes a problem for every element whose `by` an earlier one has too. */
export function refuseTwice<T extends { readonly line: number }>(
  reader: DeclarationReader,
  things: readonly T[],
  rule: { readonly what: string; readonly by: (thing: T) => string | undefined; readonly hidden?: boolean },
): void {
  const seen = new Map<string, number>();
  for (const thing of things) {
    const value = rule.by(thing);
    if (value === undefined || value === "") continue;
    const first = seen.get(value);
    const shown = rule.hidden ? "" : ` "${value}"`;
    if (first === undefined) seen.set(value, thing.line);
    else reader.refuse({ value, name: rule.what, line: thing.line }, `the ${rule.what}${shown} stands on line ${first} already`);
  }
}

function readName(reader: DeclarationReader, place: Place, fields: ReadonlyMap<string, Place>): string {
  const field = fields.get("name");
  if (!field) {
    reader.refuse(place, `${place.name} has no "name"`);
    return "";
  }
  const name = reader.text(field);
  if (
    name !== undefined &&
    (name.trim() !== name || name === "" || name.length > limits.declaredNameCharsMax || /\p{Cc}/u.test(name))
  ) {
    reader.refuse(field, `"name" must be 1 to ${limits.declaredNameCharsMax} characters, with no space at either end`);
  }
  return name ?? "";
}

function readId(reader: DeclarationReader, place: Place): string | undefined {
  const id = reader.text(place);
  if (id === undefined || (/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(id) && id.length <= limits.declaredIdCharsMax)) return id;
  return reader.refuse(place, `"id" must be letters, digits, "-", "_" and ".", at most ${limits.declaredIdCharsMax}, not "${id}"`);
}

function readSecret(reader: DeclarationReader, place: Place): string | undefined {
  const secret = reader.text(place);
  const problem = secret === undefined ? undefined : secretProblem(secret);
  return problem ? reader.refuse(place, problem) : secret;
}

function readAddress(reader: DeclarationReader, place: Place): string | undefined {
  const text = reader.text(place);
  if (text === undefined || addressRange(text)) return text;
  return reader.refuse(place, `"${text}" is neither an IP address nor a range such as 10.0.0.0/8`);
}

/** What may stand in the header X-Request-Origin. */
export function isOrigin(text: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && text.length <= limits.declaredNameCharsMax;
}

/** Origins as browsers send them, which is how they are compared. */
export function readOrigins(reader: DeclarationReader, place: Place | undefined): string[] {
  const items = reader.items(place);
  if (place !== undefined && items.length > limits.corsOriginsPerWorkspaceMax) {
    reader.refuse(place, `"corsOrigins" has at most ${limits.corsOriginsPerWorkspaceMax} entries`);
  }
  return items.map((item) => readBrowserOrigin(reader, item)).filter((origin) => origin !== undefined);
}

function readBrowserOrigin(reader: DeclarationReader, place: Place): string | undefined {
  const text = reader.text(place);
  if (text === undefined || isBrowserOrigin(text)) return text;
  return reader.refuse(
    place,
    `"${text}" is no origin: write scheme, host and port as a browser sends them, such as https://app.example.com`,
  );
}

function isBrowserOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.origin === text;
}
