/** Which bodies are read: JSON in UTF-8, compressed or not. */
import { Refusal } from "../../platform/refusal.ts";
import { withoutEnds } from "../../platform/text-ends.ts";
import { bodyCodingOf } from "../http/decode-body.ts";
import type { RequestHeaders } from "../http/http-message.ts";

/**
 * Throws CONTENT_TYPE_UNSUPPORTED unless Content-Type is one of `types`, in any case and with any parameters but a charset
 * other than utf-8 (RFC 9110 section 8.3; clients write utf8 too), and Content-Encoding is one that bodyCodingOf() takes.
 */
export function checkMediaType(headers: RequestHeaders, types: ReadonlySet<string> = json): void {
  bodyCodingOf(headers.get("content-encoding"));
  const type = headers.get("content-type");
  if (type === "application/json" && types.has(type)) return;
  if (type === undefined || !isUtf8(type, types)) {
    const named = [...types].join(" or ");
    throw new Refusal("CONTENT_TYPE_UNSUPPORTED", `The Content-Type must be ${named}, with charset utf-8 or none`);
  }
}

const json: ReadonlySet<string> = new Set(["application/json"]);
const utf8Names: ReadonlySet<string> = new Set(["utf-8", "utf8"]);
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
    return match[1]?.toLowerCase() !== "charset" || utf8Names.has((match[2] ?? match[3])?.toLowerCase() ?? "");
  });
}
