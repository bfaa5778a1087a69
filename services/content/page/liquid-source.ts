/**
 * The tags of preference centers (api-facts 6) as plain Liquid: `{{subscribed_state.${id}}}` becomes `{{subscribed_state["id"]}}`,
 * `{{custom_attribute.${plan}}}` and `{{${first_name}}}` become `{{custom_attribute["plan"]}}` and `{{profile_field["first_name"]}}`, and an output within a tag, `{% if {{...}} == 'subscribed' %}`, loses its braces. Lines stay where they are.
 */
export function plainLiquid(source: string): string {
  const outputs = source.replaceAll(braced, (_, ...[open, prefix, name, close]: [string, string | undefined, string, string]) => {
    return `${open}${expressionOf(prefix, name)}${close}`;
  });
  return withTags(outputs, (inner) => {
    const plain = inner.replaceAll(bare, (_, prefix: string | undefined, name: string) => expressionOf(prefix, name));
    return plain.replaceAll("{{", " ").replaceAll("}}", " ");
  });
}

/** One look at each character, also where nothing is ever closed: a search for the end from every beginning would take hours. */
function withTags(source: string, change: (inner: string) => string): string {
  const parts: string[] = [];
  let done = 0;
  for (;;) {
    const begin = source.indexOf("{%", done);
    const end = begin < 0 ? -1 : source.indexOf("%}", begin + 2);
    if (end < 0) return `${parts.join("")}${source.slice(done)}`;
    parts.push(source.slice(done, begin), "{%", change(source.slice(begin + 2, end)), "%}");
    done = end + 2;
  }
}

const braced = /(\{\{-?\s*)((?:subscribed_state|custom_attribute)\s*\.\s*)?\$\{([^{}]*)\}(\s*(?:\|[^{}]*)?-?\}\})/g;
const bare = /((?:subscribed_state|custom_attribute)\s*\.\s*)?\$\{([^{}]*)\}/g;

/** Line breaks within are kept, so that a later error names the right line. */
function expressionOf(prefix: string | undefined, name: string): string {
  const breaks = "\n".repeat(`${prefix ?? ""}${name}`.split("\n").length - 1);
  const key = name.trim();
  if (prefix === undefined) return `${own.has(key) ? key : `profile_field["${quotable(key)}"]`}${breaks}`;
  return `${prefix.split(".")[0]?.trim()}["${quotable(key)}"]${breaks}`;
}

/** What is a variable without braces too. */
const own: ReadonlySet<string> = new Set(["email_address", "preference_center_submit_url"]);

function quotable(text: string): string {
  return text.replaceAll(/["\\{}%\n]/g, "?");
}
