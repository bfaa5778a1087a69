/** The first example of an operation as a request in curl, TypeScript, Python and Go; test/http/docs-samples.test.ts runs them. */
import { entryOf, routeName } from "../openapi/document.ts";
import type { Entry } from "../openapi/entries/entry.ts";
import type { Route } from "../routing/route.ts";

export const languages = ["curl", "TypeScript", "Python", "Go"] as const;
export type Language = (typeof languages)[number];

interface Sample {
  readonly entry: Entry;
  readonly guard: Route["guard"];
  readonly method: string;
  /** With the example's parameters. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: unknown;
}

export function sampleOf(language: Language, route: Route): string | undefined {
  const entry = entryOf(routeName(route));
  const example = entry?.examples[0];
  if (entry === undefined || example === undefined) return undefined;
  const values = example.parameters ?? {};
  const parameters = (entry.parameters ?? []).flatMap((parameter) => {
    const value = values[parameter.name];
    return value === undefined ? [] : [value].flat().map((each) => ({ ...parameter, value: String(each) }));
  });
  const query = parameters.filter((parameter) => parameter.in === "query")
    .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name] ?? name)));
  const type = entry.bodyType ?? (route.guard === "scim" ? "application/scim+json" : "application/json");
  return writers[language]({
    entry,
    guard: route.guard,
    method: route.method,
    target: query === "" ? path : `${path}?${query}`,
    headers: [
      ...(route.guard === "scim" ? [["X-Request-Origin", "okta"] as const] : []),
      ...parameters.filter((parameter) => parameter.in === "header").map(({ name, value }) => [name, value] as const),
      ...(example.body === undefined ? [] : [["Content-Type", type] as const]),
    ],
    body: example.body,
  });
}

const writers: Readonly<Record<Language, (sample: Sample) => string>> = { curl, TypeScript: typescript, Python: python, Go: go };

function curl({ guard, method, target, headers, body }: Sample): string {
  const all = [...(guard === "open" ? [] : [["Authorization", "Bearer $KEY"] as const]), ...headers];
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}"$URL${target}"`,
    ...all.map(([name, value]) => `  -H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`  -d '${bodyText(body).replaceAll("'", "'\\''")}'`]),
  ].join(" \\\n");
}

function typescript({ entry, body, headers }: Sample): string {
  const values = entry.examples[0]?.parameters ?? {};
  const own = (entry.parameters ?? []).filter(({ name }) => values[name] !== undefined);
  const hasBody = body !== undefined;
  const params = Object.fromEntries(
    own.filter((each) => each.in === "path" || (each.in === "query" && !hasBody)).map(({ name }) => [name, values[name]]),
  );
  const query = hasBody ? Object.fromEntries(own.filter((each) => each.in === "query").map(({ name }) => [name, values[name]])) : {};
  const head = Object.fromEntries(headers.filter(([name]) => name !== "Content-Type" && name !== "X-Request-Origin"));
  const first = typeof body === "string" ? { ...params, body } : { ...params, ...(body as object | undefined) };
  const second = { ...(Object.keys(query).length > 0 ? { query } : {}), ...(Object.keys(head).length > 0 ? { headers: head } : {}) };
  const rest = Object.keys(second).length > 0 ? [first, second] : Object.keys(first).length > 0 ? [first] : [];
  return `const answer = await heddle.${entry.operationId}(${rest.map((each) => laidOut(each)).join(", ")});`;
}

function python({ guard, method, target, headers, body }: Sample): string {
  const all = Object.fromEntries(headers);
  const authorization = guard === "open" ? [] : [`"Authorization": f"Bearer {KEY}"`];
  const pairs = [...authorization, ...Object.entries(all).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)];
  const sent = body === undefined
    ? ""
    : typeof body === "string"
    ? `\n    content=${JSON.stringify(body)},`
    : `\n    content=json.dumps(${pythonValue(body, "    ")}),`;
  return `${
    body === undefined || typeof body === "string" ? "" : "import json\n\n"
  }import httpx\n\nanswer = httpx.request(\n    "${method}",\n    f"{URL}${target.replaceAll("{", "{{")}",\n    headers={${
    pairs.join(", ")
  }},${sent}\n)\nprint(answer.status_code, answer.text)`;
}

function go({ guard, method, target, headers, body }: Sample): string {
  const reader = body === undefined ? "nil" : `strings.NewReader(\`${bodyText(body).replaceAll("`", '` + "`" + `')}\`)`;
  const all = [
    ...(guard === "open" ? [] : [`"Authorization", "Bearer "+key`]),
    ...headers.map(([name, value]) => `${JSON.stringify(name)}, ${JSON.stringify(value)}`),
  ];
  return [
    `request, err := http.NewRequest("${method}", url+${JSON.stringify(target)}, ${reader})`,
    "if err != nil {\n\tlog.Fatal(err)\n}",
    ...all.map((pair) => `request.Header.Set(${pair})`),
    "answer, err := http.DefaultClient.Do(request)",
  ].join("\n");
}

function bodyText(body: unknown): string {
  return typeof body === "string" ? body : laidOut(body);
}

/** JSON with a line for each member, and for each object of an array. */
export function laidOut(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return line(value);
  const members = Object.entries(value).map(([name, member]) => `  ${JSON.stringify(name)}: ${memberText(member)}`);
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n}`;
}

function memberText(value: unknown): string {
  if (!Array.isArray(value) || !value.some((each) => typeof each === "object")) return line(value);
  return `[\n${value.map((each) => `    ${line(each)}`).join(",\n")}\n  ]`;
}

/** One line, with blanks where a person would put them. */
function line(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/g, " ");
}

function pythonValue(value: unknown, indent: string): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map((each) => pythonValue(each, indent)).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonValue(member, indent)}`).join(", ")}}`;
}
