/** Which bodies are read: JSON in UTF-8 that is not compressed. */
import { Refusal } from "../../platform/refusal.ts";
import { withoutEnds } from "../../platform/text-ends.ts";
import type { RequestHeaders } from "../http-message.ts";

/**
 * Throws CONTENT_TYPE_UNSUPPORTED unless Content-Type is one of `types`, in any case and with any parameters but a charset
 * other than utf-8 (RFC 9110 section 8.3), and Content-Encoding is absent or identity.
 */
export function checkMediaType(headers: RequestHeaders, types: ReadonlySet<string> = json): void {
  const coding = headers.get("content-encoding");
  if (coding !== undefined && coding.toLowerCase() !== "identity") {
    throw new Refusal("CONTENT_TYPE_UNSUPPORTED", "Compressed request bodies are not taken: send the body without Content-Encoding");
  }
  const type = headers.get("content-type");
  if (type === "application/json" && types.has(type)) return;
  if (type === undefined || !isUtf8(type, types)) {
    const named = [...types].join(" or ");
    throw new Refusal("CONTENT_TYPE_UNSUPPORTED", `The Content-Type must be ${named}, with charset utf-8 or none`);
  }
}

const json: ReadonlySet<string> = new Set(["application/json"]);
/** Of a type: `name=token` or `name="text"`. */
const parameter = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)|"((?:[^"\\]|\\.)*)")$/;
/** The blanks of HTTP, which are fewer than those of trim(). */
const blanks = " \t";

function isUtf8(text: string, types: ReadonlySet<string>): boolean {
  const [type = "", ...parameters] = text.split(";").map((part) => withoutEnds(part, blanks));
  if (!types.has(type.toLowerCase())) return false;
  return parameters.every((part) => {
    if (part === "") return true;
    const match = parameter.exec(part);
    if (match === null) return false;
    return match[1]?.toLowerCase() !== "charset" || (match[2] ?? match[3])?.toLowerCase() === "utf-8";
  });
}
