/** Query strings of SCIM: RFC 3986, where a plus is a plus, and the encoding of forms, where it is a blank, both of which clients send. */
import { decoded, percentDecoded } from "./query.ts";

/**
 * A plus within the quotes of the filter is a plus, any other a blank: outside of them no filter has one. Throws INPUT_INVALID for
 * what is no percent-encoded UTF-8.
 */
export function scimQueryOf(text: string): URLSearchParams {
  const query = new URLSearchParams();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : pair.slice(equals + 1);
    query.append(name, name === "filter" ? percentDecoded(blanksOutsideQuotes(value)) : decoded(value));
  }
  return query;
}

/** A backslash with the character that it escapes, a quote, or a plus; encoded or not. */
const filterPieces = /(?:\\|%5c)(?:%[\da-f]{2}|.)|"|%22|\+/gi;

function blanksOutsideQuotes(filter: string): string {
  let isQuoted = false;
  return filter.replace(filterPieces, (part) => {
    if (part === '"' || part === "%22") isQuoted = !isQuoted;
    return part === "+" && !isQuoted ? " " : part;
  });
}
