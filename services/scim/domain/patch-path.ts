/** Paths of patch operations: `name.givenName`, `emails[type eq "work"].value`, with or without a schema's name. */
import { lowerAscii } from "../../../platform/address.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { type AttributePath, attributePath, lastOf, pathBelow, withoutSchema } from "./attribute-path.ts";
import { quoted } from "./check-values.ts";
import type { Filter } from "./filter.ts";
import { parseBracketed } from "./parse-filter.ts";
import { enterpriseSchema, ignoredAttributes, ignoredNameParts } from "./schema.ts";

export interface PatchPath {
  readonly path: AttributePath;
  /** Which values of the last attribute are meant. */
  readonly filter?: Filter;
  /** What of those values. */
  readonly below?: AttributePath;
}

/** Refuses PATH_INVALID, FILTER_INVALID, ATTRIBUTE_READ_ONLY. */
export function parsePatchPath(text: string): PatchPath {
  if (Buffer.byteLength(text) > limits.scimFilterBytesMax) throw invalid("The path is too long");
  const bracket = text.indexOf("[");
  const name = bracket < 0 ? text : text.slice(0, bracket);
  const path = attributePath(name.trim());
  if (path === undefined) throw invalid(`The path names the unknown attribute '${quoted(name)}'`);
  refuseReadOnly(path);
  if (bracket < 0) return { path };
  const attribute = lastOf(path);
  if (!attribute.multi || !attribute.sub) throw invalid(`'${quoted(name)}' does not have several values to choose from`);
  const { filter, end } = parseBracketed(text, bracket + 1, attribute);
  const rest = text.slice(end).trim();
  if (rest === "") return { path, filter };
  const below = rest.startsWith(".") ? pathBelow(attribute, rest.slice(1)) : undefined;
  if (below === undefined) throw invalid(`The path names the unknown attribute '${quoted(rest)}'`);
  return { path, filter, below };
}

/** "ignored" for attributes of RFC 7643 that nothing keeps: refusing them would stop an identity provider for no gain. */
export function patchPathOrIgnored(text: string): "known" | "ignored" {
  const lower = lowerAscii(text);
  const [first = "", second = ""] = lowerAscii(withoutSchema(text)).split(/[.[]/);
  // `urn:...:User:name` ends in a name; a schema that is not ours at all is nobody's attribute here
  if (lower.startsWith(lowerAscii(enterpriseSchema)) && first !== "department") return "ignored";
  if (first === "name" && ignoredNameParts.has(second)) return "ignored";
  return ignoredAttributes.has(first.trim()) ? "ignored" : "known";
}

function refuseReadOnly(path: AttributePath): void {
  const closed = path.find(({ mutability }) => mutability === "readOnly");
  if (closed) throw new Refusal("ATTRIBUTE_READ_ONLY", `'${closed.name}' is set by the service`);
}

function invalid(text: string): Refusal {
  return new Refusal("PATH_INVALID", text);
}
