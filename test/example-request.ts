/** An example of the OpenAPI document as a request to a stub gateway, with the key or token that its route takes. */
import type { Entry, Example } from "../gateway/openapi/entries/entry.ts";
import { stubKey, stubToken } from "./gateway-stub.ts";

/** What fetch() takes. */
export function exampleRequest(url: string, entry: Entry, example: Example): [target: string, init: RequestInit] {
  const [method = "", pattern = ""] = entry.route.split(" ");
  const { body } = example;
  const headers = {
    authorization: `Bearer ${pattern.startsWith("/scim/") ? stubToken : stubKey}`,
    "x-request-origin": "okta",
    ...(body === undefined ? {} : { "content-type": entry.bodyType ?? "application/json" }),
  };
  return [url + targetOf(entry, example), {
    method,
    headers,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  }];
}

/** The path of the example, with what it has for the parameters of path and query. */
function targetOf({ route, parameters = [] }: Entry, example: Example): string {
  const query = new URLSearchParams();
  let path = (route.split(" ")[1] ?? "").replaceAll(/:\w+/g, (name) => String(example.parameters?.[name.slice(1)] ?? someId));
  for (const { in: place, name } of parameters) {
    const value = example.parameters?.[name];
    if (place === "query" && value !== undefined) { for (const one of [value].flat()) query.append(name, String(one)); }
  }
  if (query.size > 0) path += `?${query}`;
  return path;
}

const someId = "0d5f9d3e-1111-4c6b-9d0a-000000000001";
