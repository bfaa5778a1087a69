/**
 * Pages filled in: those that were stored before a bound was drawn say so, and what was saved is still confirmed; those whose scripts run
 * stand in a frame of a document that takes over what they say of themselves.
 */
import { expect, test } from "vitest";
import type { Center } from "../domain/center.ts";
import { noFields } from "../domain/person-fields.ts";
import { choicePage, confirmationPage, type Shown } from "./hosted-page.ts";
import { openPages } from "./pages.ts";

const costly = "{{ (1..3900000) }}";
const form =
  '<form action="{{preference_center_submit_url}}" method="post"><input name="{% form_field_name :email_global_state %}"></form>';

function shown(content: Partial<Center["content"]>): Shown {
  const rest = {
    title: "T",
    pageHtml: form,
    confirmationHtml: "",
    redirectHtml: null,
    options: { linkTags: [] },
    state: "active",
  } as const;
  return {
    center: { workspaceId: "w", id: "c", name: "n", version: 1, createdAt: 0, updatedAt: 0, content: { ...rest, ...content } },
    person: { userId: "u", email: "ann@example.com" },
    states: { global: "subscribed", groups: [], memberships: new Map(), behind: false },
    fields: noFields,
    settings: { scriptsAllowed: false, origins: [] },
  };
}

test("a stored page beyond a bound is refused by its reason when it is opened", () => {
  expect(() => choicePage(openPages(), shown({ pageHtml: form + costly }))).toThrow(
    expect.objectContaining({ reason: "STATE_CONFLICT", message: expect.stringContaining("takes no ranges") }),
  );
});

test.each([
  ["confirmation", { confirmationHtml: costly }],
  ["redirect page", { redirectHtml: costly }],
])("a %s beyond a bound gives way to the built-in confirmation, as the choices are saved", (_, content) => {
  const page = confirmationPage(openPages(), shown(content), { global: "unsubscribed", groups: new Map() });
  expect(page.html).toContain("Your choices are saved");
  expect(page.policy).toMatch(/; sandbox allow-forms allow-popups allow-popups-to-escape-sandbox$/);
});

test("each form that saves says which states the page shows of groups that are in use, where those are the last that were set", () => {
  const field = (id: string) => `<input name="{% form_field_name :subscription_group ${id} %}">`;
  const pageHtml = `<form method="get">{{subscribed_state.a}}</form>${form}<svg><form method="post"></form></svg>${
    form.replace("</form>", `${field("a.b")}${field("gone")}</form>`)
  }`;
  const groups = [{ id: "a.b", name: "A", channel: "other" }, { id: "c", name: "C", channel: "email" }] as const;
  const one = shown({ pageHtml });
  const states = { ...one.states, groups, memberships: new Map([["a.b", "subscribed"], ["gone", "subscribed"]] as const) };
  const marks = ["email_global_state.subscribed", "subscription_group_a.b.subscribed"].map((said) =>
    `<input type="hidden" name="shown_state" value="${said}">`
  ).join("");
  const { html } = choicePage(openPages(), { ...one, states });
  expect(html.split(marks).map((part) => part.slice(-20))).toEqual([
    expect.stringMatching(/method="post">$/),
    expect.stringMatching(/method="post">$/),
    expect.anything(),
  ]);
  expect(html.split("<form").map((part) => part.includes("shown_state"))).toEqual([false, false, true, false, true]);
  expect(choicePage(openPages(), { ...one, states: { ...states, behind: true } }).html).toBe(html);
});

test("built-in pages have a title each, and speak of choices above only where there are some", () => {
  const one = shown({ pageHtml: "" });
  const groups = [{ id: "a", name: "A", channel: "email" }] as const;
  const [without, some] = [choicePage(openPages(), one).html, choicePage(openPages(), { ...one, states: { ...one.states, groups } }).html];
  expect([without, some].map((html) => [html.includes("choices above"), html.includes('aria-describedby="all-note"')]))
    .toEqual([[false, false], [true, true]]);
  expect(without).toContain("<title>T</title>");
  expect(confirmationPage(openPages(), one, { groups: new Map() }).html).toContain("<title>Your choices are saved</title>");
});

test("what a form says of its states is there also where a comment of Liquid follows its tag", () => {
  const commented = form.replace(">", ">{% comment %}x{% endcomment %}");
  const { html } = choicePage(openPages(), shown({ pageHtml: commented }));
  expect(html).toContain('method="post"><input type="hidden" name="shown_state" value="email_global_state.');
});

const scripted = { settings: { scriptsAllowed: true, origins: [] }, frame: { token: "form-token", name: "request-1" } };

test.each([
  [`<html lang="de"><head><title>Ihre &amp; "Mails"</title><meta name="viewport" content="width=500"></head>${form}</html>`, [
    '<html lang="de">',
    '<meta name="viewport" content="width=500">',
    "<title>Ihre &amp; &quot;Mails&quot;</title>",
    'title="Ihre &amp; &quot;Mails&quot;"',
  ]],
  [`<title>Of {{\${email_address}}}</title>${form}`, ["<html>", "<title>T</title>", 'title="T"']],
  [
    `<html lang="{% if a %}ar{% else %}en{% endif %}"><head><title>{% if a %}x{% else %}y{% endif %}</title></head>${form}</html>`,
    ["<html>", "<title>T</title>", 'title="T"'],
  ],
  [
    `<html lang="en"><head>{% if a %}<meta name="viewport" content="width=500"><title>x</title>{% else %}<title>y</title>{% endif %}</head>${form}</html>`,
    ['<html lang="en">', '<base href="form-token">\n<title>T</title>'],
  ],
  [`{% comment %}{% if a %}{% endcomment %}{% if a %}{% endif %}<title>x</title>${form}`, ["<title>x</title>"]],
  [`<html lang="de" {% if a %}class="off"{% endif %}><head></head>${form}</html>`, ['<html lang="de">']],
])("the document around a page with scripts says what the page says of itself", (pageHtml, expected) => {
  const { html, policy } = choicePage(openPages(), { ...shown({ pageHtml }), ...scripted });
  const [around = "", content = ""] = html.split("srcdoc=");
  for (const text of expected) expect(around).toContain(text);
  expect(around).toContain('<base href="form-token">');
  expect(around).not.toContain("<script");
  expect(content).not.toMatch(/form-token|srcdoc/);
  expect(policy).toContain("script-src 'unsafe-inline'");
});

test("what is written into a page with scripts does not leave its frame", () => {
  const { html } = choicePage(openPages(), {
    ...shown({ pageHtml: `${form}<p title="'&quot;&quot">"></iframe><script>x()</script></p>` }),
    ...scripted,
  });
  expect(html.match(/<\w+/g)?.slice(0, 7)).toEqual(["<html", "<head", "<meta", "<base", "<title", "<style", "<body"]);
  const content = /srcdoc="([^"]*)"><\/iframe><\/body><\/html>\n$/.exec(html)?.[1] ?? "";
  expect(content.replaceAll("&quot;", '"').replaceAll("&amp;", "&")).toContain(
    `<p title="'&quot;&quot">"></iframe><script>x()</script></p>`,
  );
});

test("built-in pages and redirect pages stand in no frame and run no script, whatever the workspace allows", () => {
  const redirectHtml = '<meta http-equiv="refresh" content="0;url=https://shop.example/"><script>x()</script>';
  const saved = { groups: new Map() };
  for (
    const { html, policy } of [
      choicePage(openPages(), { ...shown({ pageHtml: "" }), ...scripted }),
      confirmationPage(openPages(), { ...shown({}), ...scripted }, saved),
      confirmationPage(openPages(), { ...shown({ redirectHtml }), ...scripted }, saved),
    ]
  ) {
    expect(html).not.toContain("<iframe");
    expect(policy).toContain("script-src 'none'");
  }
});
