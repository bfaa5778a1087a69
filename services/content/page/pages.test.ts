/** Stored pages: what is refused with line and reason, what is filled in how, and that it ends. */
import { expect, test } from "vitest";
import type { Center, CenterContent } from "../domain/center.ts";
import { limits } from "../../../platform/limits.ts";
import { noFields, type PersonFields } from "../domain/person-fields.ts";
import { openPages } from "./pages.ts";

const closed = { scriptsAllowed: false, origins: [] };
const form =
  '<form action="{{preference_center_submit_url}}" method="post"><input name="{% form_field_name :email_global_state %}"></form>';

const unsaved = "the checkbox saves nothing when it is left empty";

function box(rest = ""): string {
  return `<input type="checkbox" name="{% form_field_name :subscription_group a %}" ${rest}>`;
}

function content(more: Partial<CenterContent> = {}): CenterContent {
  const rest = { title: "T", confirmationHtml: "", redirectHtml: null, options: { linkTags: [] }, state: "active" } as const;
  return { pageHtml: form, ...rest, ...more };
}

function problem(pageHtml: string): string {
  try {
    openPages().check(content({ pageHtml }), closed);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message.replace("'preference_center_page_html' would not work: ", "") : String(error);
  }
}

interface Values {
  readonly states?: Readonly<Record<string, string>>;
  readonly email?: string;
  readonly fields?: PersonFields;
}

function filled(pageHtml: string, { states = {}, email = "a@x.de", fields = noFields }: Values = {}): string {
  const center: Center = { workspaceId: "w", id: "c", name: "n", version: 1, createdAt: 0, updatedAt: 0, content: content({ pageHtml }) };
  const page = openPages().compiled(center, "page");
  return page?.template.render({ email, submitUrl: "?save", states: new Map(Object.entries(states)), fields, head: "", marks: "" }) ?? "";
}

test.each([
  [form.replace("{{pref", "https://evil.example/{{pref"), "line 1: the action of <form> must be {{preference_center_submit_url}}"],
  [
    form.replace("{{preference_center_submit_url}}", "{{preference_center_submit_url | default: 'https://evil.example'}}"),
    "line 1: the action of <form> must be {{preference_center_submit_url}}",
  ],
  [
    `${form}\n${form.replace("{{preference_center_submit_url}}", "//evil.example")}`,
    "line 2: the action of <form> must be {{preference_center_submit_url}}",
  ],
  [
    form.replace("></form>", '><button formaction="//evil.example">x</button></form>'),
    "line 1: the formaction of <button> must be {{preference_center_submit_url}}",
  ],
  [`<base href="https://evil.example/">${form}`, "line 1: the tag <base> is not allowed: it would lead the form elsewhere"],
  [
    `<meta http-equiv="Refresh" content="0;url=//evil.example">${form}`,
    "line 1: a page may not lead elsewhere by itself (meta refresh); redirect_page_html may",
  ],
  [`${form}\n<a href="https://x.example/?{{\${email_address}}}">x</a>`, "line 2: Liquid output may not stand in an address (href of <a>)"],
  [`${form}\n<a href="https://x.example/?{{\${first_name}}}">x</a>`, "line 2: Liquid output may not stand in an address (href of <a>)"],
  [
    `${form}\n<link rel="preload" as="image" imagesrcset="https://x.example/?{{\${email_address}}} 1x">`,
    "line 2: Liquid output may not stand in an address (imagesrcset of <link>)",
  ],
  ...[
    ['<svg><a><set attributeName="href" to="https://x.example/?{{${email_address}}}"/><text>x</text></a></svg>', "to"],
    ['<svg><image><animate attributeName="href" values="https://x.example/?{{${email_address}}}"/></image></svg>', "values"],
    ['<svg><a><set attributeName="{{${email_address}}}" to="x"/></a></svg>', "attributeName"],
    ['<svg><rect fill="u\\72l(https://x.example/?{{${email_address}}}#a)"/></svg>', "fill"],
    ['<svg><rect mask="url(https://x.example/?{{${email_address}}}#a)"/></svg>', "mask"],
    ['<a href="https://x.example/" target="{{${email_address}}}">x</a>', "target"],
  ].map((
    [html, name],
  ): [string, string] => [`${form}\n${html}`, `line 2: in the attribute ${name} may stand states, field names and the submit URL only`]),
  [
    `${form}\n<img src="https://x.example/{{preference_center_submit_url}}">`,
    "line 2: Liquid output may not stand in an address (src of <img>)",
  ],
  [
    `${form}\n<script>var a = "{{\${email_address}}}"</script>`,
    "line 2: within <script> may stand states, field names and the submit URL only",
  ],
  [
    `${form}\n<script>var a = "{{custom_attribute.\${plan}}}"</script>`,
    "line 2: within <script> may stand states, field names and the submit URL only",
  ],
  [
    `${form}\n{% assign e = email_address %}<script>{{ e }}</script>`,
    "line 2: within <script> may stand states, field names and the submit URL only",
  ],
  [
    `${form}\n<style>p { content: "{{\${email_address}}}" }</style>`,
    "line 2: within <style> may stand states, field names and the submit URL only",
  ],
  [
    `${form}\n<p onclick="x('{{\${email_address}}}')">x</p>`,
    "line 2: in the attribute onclick may stand states, field names and the submit URL only",
  ],
  [`${form}\n<p {{\${email_address}}}>x</p>`, "line 2: Liquid output may not make the name of an attribute"],
  [`${form}\n{{ 'x' | append: 'y' }}`, "line 2: undefined filter: append"],
  [`${form}\n{% for i in (1..9) %}x{% endfor %}`, 'line 2: unknown tag "for"'],
  [`${form}\n{% render 'x' %}`, 'line 2: unknown tag "render"'],
  [`${form}\n{% if subscribed_state.\${email_global} %}`, 'line 2: tag {% if subscribed_state["email_global"] %} not closed'],
  [
    `${form}\n{% form_field_name :group %}`,
    "line 2: form_field_name takes :email_global_state, or :subscription_group and the id of a group",
  ],
])("check() refuses %j, and says why", (html, reason) => {
  expect(problem(html)).toContain(reason);
});

test.each([
  ["<p>page</p>", "has no form, so nothing can be chosen on it"],
  ["<h1>Hi</h1>", "has no form, so nothing can be chosen on it"],
  ["string", "has no form, so nothing can be chosen on it"],
  [`${form}\n<blink>x</blink>`, "line 2: unknown tag <blink>"],
  [`${form}\n<div>`, "line 2: the tag <div> is not closed"],
  [`${form}\n<div`, "line 2: the page ends within a tag or comment (eof-in-tag)"],
  [`${form}<!-- `, "line 1: the page ends within a tag or comment (eof-in-comment)"],
  [form.replace("post", "get"), 'line 1: the form saves nothing: its method must be "post"'],
  [form.replace(' method="post"', ""), 'line 1: the form saves nothing: its method must be "post"'],
  [
    form.replace('action="{{preference_center_submit_url}}"', ""),
    "line 1: the form has no action, so not all choices are saved: it must be {{preference_center_submit_url}}",
  ],
  [form.replace("{{preference_center_submit_url}}", " "), "line 1: the form has no action"],
  [
    form.replace('name="{% form_field_name :email_global_state %}"', 'name="x"'),
    "line 1: the form saves nothing: no field has a name made by {% form_field_name %}",
  ],
  [
    form.replace(" method", ' enctype="text/plain" method'),
    "line 1: the form saves nothing: its enctype must be application/x-www-form-urlencoded",
  ],
  [`${form}\n{{\${frist_name}}}`, 'line 2: "${frist_name}" is empty, as pages know no such variable'],
  [`${form}\n{{ email_address.constructor }}`, 'line 2: "email_address.constructor" is empty, as pages know no such variable'],
  [`${form}\n{{ heddle_head }}{{ anything | default: 'x' }}`, 'line 2: "heddle_head" is empty, as pages know no such variable'],
  [`${form}\n{{subscribed_state.\${a b}}}`, 'line 2: "subscribed_state.a b" is empty, as pages know no such variable'],
  [`${form}\n{{custom_attribute.\${}}}`, 'line 2: "custom_attribute." is empty, as pages know no such variable'],
  ...[
    ['value="on"', "the checkbox saves nothing: its value must be one of subscribed, unsubscribed"],
    ["", "the checkbox saves nothing: its value must be one of subscribed, unsubscribed"],
    ['value="opted_in"', "the checkbox saves nothing: its value must be one of subscribed, unsubscribed"],
    ['value="subscribed" checked disabled', `${unsaved}, as it is disabled`],
    ['value="subscribed" {% if subscribed_state.a %}disabled{% endif %}', `${unsaved}, as it is disabled`],
    ['{% if subscribed_state.a %}value="subscribed"{% else %}value="unsubscribed"{% endif %}', `${unsaved}: no condition may stand`],
    ['value="{% if subscribed_state.a %}{% endif %}subscribed"', "the checkbox saves nothing: its value must be one of"],
    ['value="subscribed" form="a b"', `${unsaved}: its form must be letters`],
  ].map(([rest, warning]): [string, string] => [`${form}\n${box(rest)}`, `line 2: ${warning}`]),
])("check() takes %j, and warns", (html, warning) => {
  expect(openPages().check(content({ pageHtml: html }), closed).join("\n")).toContain(`'preference_center_page_html' ${warning}`);
  expect(filled(html)).not.toContain("undefined");
});

test("before each checkbox stands a field that says so, in its branch and form, where it is known what an empty one means", () => {
  const branches = `{% if subscribed_state.a == 'subscribed' %}${box('value="subscribed" checked')}{% else %}[${
    box('value="subscribed"')
  }]{% endif %}`;
  const mark = '<input type="hidden" name="shown_box" value="subscription_group_a.subscribed">';
  const first = filled(`${form}${branches}`, { states: { a: "subscribed" } });
  expect(first).toMatch(new RegExp(`</form>${mark}<input type="checkbox" name="subscription_group_a" value="subscribed" checked>$`));
  expect(filled(`${form}${branches}`)).toMatch(
    new RegExp(`</form>\\[${mark}<input type="checkbox" name="subscription_group_a" value="subscribed">\\]$`),
  );
  expect(problem(`${form}${branches}`)).toBe("");
  expect(openPages().check(content({ pageHtml: `${form}${branches}` }), closed)).toEqual([]);
  expect(filled(box('form="f" value="subscribed"'))).toContain(`${mark.replace(">", ' form="f">')}<input`);
  expect(filled(`<!doctype html>${box('value="subscribed"')}`)).toBe(
    `<!doctype html>${mark}${box('value="subscribed"').replace(/\{%.*%\}/, "subscription_group_a")}`,
  );
  for (const rest of ['value="subscribed" disabled', 'value="on"', 'value="subscribed" form="&#123;&#123;x}}"']) {
    expect(filled(`${form}${box(rest)}`)).not.toContain("shown_box");
  }
  expect(filled(`${form}<input type="hidden" name="{% form_field_name :subscription_group a %}">${box('value="subscribed"')}`)).not
    .toContain("shown_box");
});

test("check() takes fragments, custom elements, drawings, comments, optional end tags and the sample's script", () => {
  for (
    const html of [
      `${form}<ul><li>a<li>b</ul><p>c<svg viewBox="0 0 1 1"><path d="M0 0"/></svg><my-card>d</my-card><!-- e --><br><table><tr><td>f</table>`,
      `<script>const s = '{{subscribed_state.\${email_global}}}' == "unsubscribed"; const t = \`\${s}\`;</script>${form}`,
      `{% comment %}<form>{% endcomment %}${form}`,
      `<!doctype html><html><head><title>x</title></head><body>${form}</body></html>`,
    ]
  ) expect(problem(html)).toBe("");
});

test("what is put in is escaped wherever it stands", () => {
  const html = filled(
    `${form}<p title={{\${email_address}}} class="{{\${email_address}}}">{{\${email_address}}}</p>`,
    { email: `"a onload=x>'<b>&"@x.de` },
  );
  expect(html).toContain('title=&#34;a&#32;onload&#61;x&#62;&#39;&#60;b&#62;&#38;&#34;@x.de class="&#34;a');
  expect(html).not.toContain("<b>");
});

test("fields of the profile are shown, escaped, and defaults stand for those that are not there", () => {
  const fields: PersonFields = {
    standard: new Map([["first_name", `Zoë <b onclick="x">&'`]]),
    custom: new Map<string, string | number | boolean>([["plan", "gold"], ["a b", 7], ["vip", true]]),
  };
  const html =
    "[{{${first_name}}}][{{ ${last_name} | default: 'friend' }}][{{custom_attribute.${plan} | upcase}}][{{custom_attribute.${a b}}}]" +
    "[{{custom_attribute.${none} | default: 'none'}}][{% if {{custom_attribute.${vip}}} and custom_attribute.${plan} == 'gold' %}yes{% endif %}]" +
    "{% assign name = ${first_name} %}<p title={{name}}>[{{${unknown}}}][{{ custom_attribute['plan'] }}]";
  const page = filled(`${form}${html}`, { fields });
  const name = "Zoë&#32;&#60;b&#32;onclick&#61;&#34;x&#34;&#62;&#38;&#39;";
  expect(page).toContain(`[${name}][friend][GOLD][7][none][yes]<p title=${name}>[][gold]`);
  const without = filled(`${form}${html}`);
  expect(without).toContain("[][friend][][][none][]<p title=>[][]");
});

test("states, conditions, assignments and filters work; a group that is not known is as given", () => {
  const states = { email_global: "opted_in", "g-1": "subscribed" };
  const html = "{% assign s = subscribed_state.${g-1} %}{% if {{subscribed_state.${g-1}}} == 'subscribed' %}A{% else %}B{% endif %}" +
    "{% unless s == 'subscribed' %}C{% endunless %}{% case s %}{% when 'subscribed' %}D{% endcase %}{{ subscribed_state.${email_global} | upcase }}";
  expect(filled(`${form}${html}`, { states })).toContain("ADOPTED&#95;IN".replace("&#95;", "_"));
});

test("the head goes after the head tag, the html tag, the doctype or to the beginning, and a doctype is there", () => {
  const at = (html: string) => {
    const center = { workspaceId: "w", id: "c", name: "n", version: 1, createdAt: 0, updatedAt: 0, content: content({ pageHtml: html }) };
    return openPages().compiled(center, "page")?.template.render({
      email: "",
      submitUrl: "",
      states: new Map(),
      fields: noFields,
      head: "<H>",
      marks: "",
    }).split(
      "<form",
    )[0];
  };
  expect(at(form)).toBe("<!doctype html><H>");
  expect(at(`<!DOCTYPE html>${form}`)).toBe("<!DOCTYPE html><H>");
  expect(at(`<html lang="x">${form}</html>`)).toBe('<!doctype html><html lang="x"><H>');
  expect(at(`{% if subscribed_state.\${email_global} %}{% endif %}<html><head>{{preference_center_submit_url}}</head>${form}</html>`)).toBe(
    "<!doctype html><html><head><H></head>",
  );
});

test("a page that grows too large when it is filled in is refused", () => {
  const html = `${form}${"{{${email_address}}} ".repeat(900)}`;
  expect(filled(html, { email: "x".repeat(254) }).length).toBeLessThan(limits.pageRenderBytesMax);
  expect(() => filled(html, { email: "x".repeat(5_000) })).toThrow("The page is too large");
});

test("pages with too much Liquid or too many tags are refused, and every other is read in good time", { timeout: 60_000 }, () => {
  expect(problem(`${form}${"{{${email_address}}}".repeat(limits.pageTagsMax)}`)).toContain(`more than ${limits.pageTagsMax} pieces`);
  const many = Math.floor(limits.pageElementsMax / 16);
  expect(problem(`${form}${"<div><p>x</p></div>\n".repeat(many)}`)).toBe("");
  expect(problem(`${form}${"<br>".repeat(limits.pageElementsMax)}`)).toBe(`it has more than ${limits.pageElementsMax} tags`);
  // Hours where anything were looked through from each of its beginnings
  const started = process.cpuUsage().user;
  for (const hostile of ["{{", "{%", "<a ", "<!--", "<div>", "<p><b>", "{{${"]) {
    problem(`${form}${hostile.repeat(Math.floor(300_000 / hostile.length))}`);
    problem(`${form}${hostile.repeat(limits.pageElementsMax / 16)}`);
  }
  expect(process.cpuUsage().user - started).toBeLessThan(10_000_000);
});
