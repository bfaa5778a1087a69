/** A person's own page over HTTP: the link, the page, what submitting it changes, and what it never does. */
import { expect, test } from "vitest";
import { fresh, heddleSuite } from "../suite.ts";
import {
  centerDeclaration,
  dotted,
  dottedKey,
  freshKey,
  freshWorkspace,
  letter,
  news,
  scriptedKey,
  sentBy,
  storedPage,
  textOf,
  texts,
} from "../preference-centers.ts";

const sharedKey = freshKey();
const suite = heddleSuite({ apply: centerDeclaration, env: { HEDDLE_PREFERENCE_LINK_LIFE: "1h" } });
const path = "/preference_center/v1";
const letterField = `subscription_group_${letter}`;
const newsField = `subscription_group_${news}`;

test("the URL opens the built-in page of one person: groups of email with their states, escaped, and the address", async () => {
  const workspace = freshWorkspace(suite);
  const id = await workspace.create({ preference_center_title: "My <b>mail</b>" });
  const ann = await workspace.person("ann+x@example.com");
  const url = await workspace.url(id, ann);
  expect(new URL(url).pathname).toMatch(/^\/preferences\/[\w-]+$/);
  expect(await workspace.url(id, await workspace.person())).not.toBe(url);
  const html = await textOf(url);
  expect(html).toContain("<strong>ann+x@example.com</strong>");
  expect(html).toContain("My &lt;b&gt;mail&lt;/b&gt;");
  expect(html).toContain("News &amp; &lt;more&gt;");
  expect(html).toContain(`name="${letterField}" value="subscribed"`);
  expect(html).not.toContain(texts);
  expect(html).not.toMatch(/<script|javascript:/);
});

test("the URL stands at the address that the server listens on, unless another is declared", async () => {
  const workspace = freshWorkspace(suite);
  const url = await workspace.url(await workspace.create(), await workspace.person());
  expect(url.startsWith(`${suite.heddle.url}/preferences/`), url).toBe(true);
});

test("GET changes nothing, sets no cookie, is not kept, leads nowhere, and its HTML does not hold the token", async () => {
  const workspace = freshWorkspace(suite);
  const ann = await workspace.person();
  const url = await workspace.url(await workspace.create({ preference_center_page_html: storedPage }), ann);
  const answer = await fetch(`${url}?save&${newsField}=subscribed&email_global_state=unsubscribed`, { redirect: "manual" });
  expect(answer.status).toBe(200);
  const { headers } = answer;
  expect([headers.get("set-cookie"), headers.get("cache-control"), headers.get("referrer-policy")]).toEqual([
    null,
    "no-store",
    "no-referrer",
  ]);
  expect(headers.get("content-security-policy")).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; script-src 'none'; form-action 'self'; base-uri 'none'; " +
      "frame-ancestors 'none'; sandbox allow-forms allow-popups allow-popups-to-escape-sandbox",
  );
  expect(await answer.text()).not.toContain(url.slice(url.lastIndexOf("/") + 1));
  expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
  expect([await workspace.state(news, ann), await workspace.emailState(ann)]).toEqual(["Unknown", "subscribed"]);
});

test("submitting changes groups and all email as the API would, tells the ledger, and shows the confirmation", async () => {
  const workspace = freshWorkspace(suite);
  const ann = await workspace.person();
  const url = await workspace.url(await workspace.create(), ann);
  const answer = await workspace.submit(url, { [letterField]: "subscribed", [newsField]: "unsubscribed", email_global_state: "opted_in" });
  expect(answer.status).toBe(200);
  const html = await answer.text();
  expect(html).toContain("<bdi>Weekly letter</bdi>: <strong>Subscribed</strong>");
  expect(html).toContain("<bdi>All emails</bdi>: <strong>Subscribed</strong>");
  expect([await workspace.state(letter, ann), await workspace.state(news, ann)]).toEqual(["Subscribed", "Unknown"]);
  expect(await workspace.emailState(ann)).toBe("opted_in");
  expect(await textOf(url)).toContain(`name="${letterField}" value="subscribed" checked`);
  // Groups keep their states while all email is off
  await workspace.submit(
    url,
    `${letterField}=unsubscribed&${letterField}=subscribed&email_global_state=opted_in&email_global_state=unsubscribed`,
  );
  expect([await workspace.emailState(ann), await workspace.state(letter, ann)]).toEqual(["unsubscribed", "Subscribed"]);
});

test("only what the person changed is recorded: a group that nobody touched stays unknown", async () => {
  const workspace = freshWorkspace(suite);
  const ann = await workspace.person();
  const url = await workspace.url(await workspace.create(), ann);
  const states = async () => [await workspace.state(letter, ann), await workspace.state(news, ann), await workspace.emailState(ann)];
  const untouched = `${letterField}=unsubscribed&${newsField}=unsubscribed&email_global_state=subscribed`;
  expect((await workspace.submit(url, untouched)).status).toBe(200);
  expect(await states()).toEqual(["Unknown", "Unknown", "subscribed"]);
  expect((await workspace.submit(url, `${untouched}&${letterField}=subscribed`)).status).toBe(200);
  expect(await states()).toEqual(["Subscribed", "Unknown", "subscribed"]);
  expect((await workspace.submit(url, untouched)).status).toBe(200);
  expect(await states()).toEqual(["Unsubscribed", "Unknown", "subscribed"]);
});

test("a page whose author asks for all choices has them recorded, touched or not", async () => {
  const workspace = freshWorkspace(suite);
  const ann = await workspace.person();
  const html = `<form method="post" action="{{preference_center_submit_url}}"><input type="hidden" name="record_choices" value="all">
<input type="checkbox" name="{% form_field_name :subscription_group ${letter} %}" value="subscribed"><button>Save</button></form>`;
  const id = await workspace.create({ preference_center_page_html: html });
  const url = await workspace.url(id, ann);
  expect(await textOf(url)).toContain('name="record_choices" value="all"');
  expect((await workspace.submit(url, sentBy(await textOf(url), {}))).status).toBe(200);
  expect(await workspace.state(letter, ann)).toBe("Unsubscribed");
});

test("stored HTML is filled in: states, field names, submit address, email; the head has what the options say", async () => {
  const workspace = freshWorkspace(suite);
  const links = [{ rel: "shortcut icon", href: "https://cdn.example.com/favicon.ico" }];
  const id = await workspace.create({
    preference_center_title: "Mail",
    preference_center_page_html: storedPage,
    confirmation_page_html: "<p>Now: {{subscribed_state.${" + letter + "}}} / {{subscribed_state.${email_global}}}</p>",
    options: { "meta-viewport-content": "width=device-width", "links-tags": links },
  });
  const ann = await workspace.person("a.b@example.com");
  const url = await workspace.url(id, ann);
  const html = await textOf(url);
  expect(html).toContain("<h1>Manage a.b@example.com</h1>");
  expect(html).toContain('action="&#63;save"');
  expect(html).toContain(`name="${letterField}"`);
  expect(html).toMatch(/<head><meta name="viewport" content="width=device-width">\n<link rel="shortcut icon" href="https:\/\/cdn/);
  expect(html).toContain("<title>Mail</title>");
  expect(html).toContain('<p id="state">subscribed, unsubscribed, unsubscribed</p>');
  const answer = await workspace.submit(url, { [letterField]: "subscribed" });
  expect(await answer.text()).toContain("Now: subscribed / subscribed");
  expect(await textOf(url)).toContain('<p id="state">subscribed, subscribed, unsubscribed</p>');
  // A box that is left empty says the opposite
  await workspace.submit(url, sentBy(await textOf(url), { email_global_state: "unsubscribed" }));
  expect([await workspace.state(letter, ann), await workspace.emailState(ann)]).toEqual(["Unsubscribed", "unsubscribed"]);
  await workspace.submit(url, sentBy(await textOf(url), {}));
  expect(await workspace.emailState(ann)).toBe("subscribed");
});

test("a page shows what its person has, escaped, and defaults for the rest; nothing of anybody else", async () => {
  const workspace = freshWorkspace(suite);
  const html =
    "<p>[{{${first_name}}}] [{{${last_name} | default: 'friend'}}] [{{custom_attribute.${plan}}}] [{{custom_attribute.${visits}}}] " +
    "[{{custom_attribute.${tags}}}] [{{custom_attribute.${none} | default: 'none'}}] [{{${user_id}}}] [{{${nickname}}}]</p>" +
    "{% if {{custom_attribute.${plan}}} == 'gold' %}<p>Gold</p>{% endif %}";
  const pages = { preference_center_page_html: storedPage.replace("<form", `${html}<form`), confirmation_page_html: `${html}Done` };
  const ann = await workspace.person();
  await workspace.person();
  const attributes = { external_id: ann, first_name: "<b>Ann</b>", plan: "gold", visits: 7, tags: ["a", "b"], secret: "not shown" };
  expect((await workspace.call("POST", "/users/track", { attributes: [attributes] })).status).toBe(201);
  const url = await workspace.url(await workspace.create(pages), ann);
  const shown = `[&#60;b&#62;Ann&#60;&#47;b&#62;] [friend] [gold] [7] [a&#44;&#32;b] [none] [${ann}] []</p><p>Gold</p>`;
  const page = await textOf(url);
  expect(page).toContain(shown);
  expect(page).not.toContain("not shown");
  expect(await (await workspace.submit(url, { [letterField]: "subscribed" })).text()).toContain(`${shown}Done`);
  const bare = await workspace.url(await workspace.create(pages), await workspace.person());
  expect(await textOf(bare)).toMatch(/<p>\[\] \[friend\] \[\] \[\] \[\] \[none\] \[[\w-]+\] \[\]<\/p><form/);
});

test("only what the page asks about can be changed", async () => {
  const workspace = freshWorkspace(suite);
  const ann = await workspace.person();
  const url = await workspace.url(await workspace.create({ preference_center_page_html: storedPage }), ann);
  expect((await workspace.submit(url, { [`subscription_group_${texts}`]: "subscribed", [letterField]: "subscribed", other: "x" })).status)
    .toBe(200);
  expect([await workspace.state(texts, ann), await workspace.state(letter, ann)]).toEqual(["Unknown", "Subscribed"]);
});

test("a page may name a group by its id in another case, as the API may", async () => {
  const workspace = freshWorkspace(suite);
  const ann = await workspace.person();
  const [upper, field] = [texts.toUpperCase(), `subscription_group_${texts.toUpperCase()}`];
  const [name, shown] = [`{% form_field_name :subscription_group ${upper} %}`, "{{subscribed_state.${" + upper + "}}}"];
  const html = `<form method="post" action="{{preference_center_submit_url}}"><input name="${name}"></form>[${shown}]`;
  const url = await workspace.url(await workspace.create({ preference_center_page_html: html, confirmation_page_html: shown }), ann);
  const saved = await workspace.submit(url, { [field]: "subscribed" });
  expect([saved.status, await saved.text()]).toEqual([200, expect.stringContaining("subscribed")]);
  expect([await workspace.state(texts, ann), await textOf(url)]).toEqual(["Subscribed", expect.stringContaining("[subscribed]")]);
});

test.each(["the built-in page", "a stored page"])("%s takes a choice about a group whose id has a dot", async (page) => {
  const workspace = freshWorkspace(suite, dottedKey);
  const ann = await workspace.person();
  const [name, shown] = [`{% form_field_name :subscription_group ${dotted} %}`, "{{subscribed_state.${" + dotted + "}}}"];
  const box = `<input type="checkbox" name=${name} value="subscribed"><script>state("${shown}")</script>`;
  const html = page === "a stored page" ? `<form method="post" action="{{preference_center_submit_url}}">${box}</form>` : "";
  const id = await workspace.create({ preference_center_page_html: html });
  const url = await workspace.url(id, ann);
  for (const [ticked, state] of [[{ [`subscription_group_${dotted}`]: "subscribed" }, "Subscribed"], [{}, "Unsubscribed"]] as const) {
    expect((await workspace.submit(url, sentBy(await textOf(url), ticked))).status).toBe(200);
    expect(await workspace.state(dotted, ann)).toBe(state);
  }
});

test("the redirect page takes the place of the confirmation and may lead on by itself", async () => {
  const workspace = freshWorkspace(suite);
  const ann = await workspace.person();
  const redirect = '<meta http-equiv="refresh" content="1;url=https://shop.example/"><p>On we go</p>';
  const id = await workspace.create({ redirect_page_html: redirect, confirmation_page_html: "<p>Thanks</p>" });
  const answer = await workspace.submit(await workspace.url(id, ann), { [letterField]: "subscribed" });
  expect([answer.status, answer.headers.get("location")]).toEqual([200, null]);
  expect(await answer.text()).toContain("On we go");
  // In a sandbox as every page, with the word that lets it lead on, and no script
  expect(answer.headers.get("content-security-policy")).toMatch(/script-src 'none'; .*; sandbox [a-z -]* allow-scripts$/);
});

test("a page without a form opens, and sending it anything changes nothing", async () => {
  const workspace = freshWorkspace(suite);
  const ann = await workspace.person();
  const url = await workspace.url(await workspace.create({ preference_center_page_html: "<h1>Hi</h1>" }), ann);
  expect(await textOf(url)).toContain("<h1>Hi</h1>");
  expect((await workspace.submit(url, { [letterField]: "subscribed", email_global_state: "unsubscribed" })).status).toBe(200);
  expect([await workspace.state(letter, ann), await workspace.emailState(ann)]).toEqual(["Unknown", "subscribed"]);
});

test("a page says so when it could not save, and saves what it can", async () => {
  const workspace = freshWorkspace(suite);
  const gone = "99999999-1111-4111-8111-111111111111";
  const ann = await workspace.person();
  const url = await workspace.url(await workspace.create({ preference_center_page_html: storedPage.replaceAll(news, gone) }), ann);
  const wrong = await workspace.submit(url, { [letterField]: "maybe" });
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining("nothing was changed")]);
  const partly = await workspace.submit(url, { [letterField]: "subscribed", [`subscription_group_${gone}`]: "subscribed" });
  expect([partly.status, partly.headers.get("x-heddle-reason")]).toEqual([503, "PARTLY_DONE"]);
  expect(await partly.text()).toContain("Not all of your choices are saved");
  expect(await workspace.state(letter, ann)).toBe("Subscribed");
  // As the page shows it: the person has chosen nothing there
  expect((await workspace.submit(url, { [letterField]: "unsubscribed", [`subscription_group_${gone}`]: "unsubscribed" })).status).toBe(200);
  // The built-in page that was open had a group that is there no more
  const builtIn = await workspace.submit(await workspace.url(await workspace.create(), ann), {
    [newsField]: "subscribed",
    [`subscription_group_${gone}`]: "subscribed",
  });
  expect([builtIn.status, builtIn.headers.get("x-heddle-reason")]).toEqual([503, "PARTLY_DONE"]);
  expect(await workspace.state(news, ann)).toBe("Subscribed");
  for (const type of ["text/plain", "application/json"]) {
    expect((await workspace.submit(url, "{}", { "content-type": type })).status).toBe(415);
  }
  const large = await workspace.submit(url, `x=${"y".repeat(100_000)}`);
  expect([large.status, large.headers.get("content-type")]).toEqual([413, "text/html; charset=utf-8"]);
});

test("where scripts run the page is framed, and what it is sent with is a token of its own that saves and opens as the link does", async () => {
  const workspace = freshWorkspace(suite, scriptedKey);
  const ann = await workspace.person();
  const pages = { preference_center_page_html: storedPage, confirmation_page_html: "<h1>Done: {{subscribed_state.${email_global}}}</h1>" };
  const url = await workspace.url(await workspace.create(pages), ann);
  const answer = await fetch(url);
  const html = await answer.text();
  expect(answer.headers.get("content-security-policy")).toMatch(
    /; base-uri 'self'; frame-ancestors 'none'; sandbox [a-z -]* allow-top-navigation-by-user-activation$/,
  );
  expect(html).not.toContain(url.slice(url.lastIndexOf("/") + 1));
  const token = /<base href="([\w-]+)">/.exec(html)?.[1] ?? "";
  const form = new URL(token, url).href;
  const saved = await workspace.submit(form, { [letterField]: "subscribed" });
  expect([saved.status, await saved.text()]).toEqual([200, expect.stringContaining(`<base href="${token}">`)]);
  expect(await workspace.state(letter, ann)).toBe("Subscribed");
  expect(await textOf(form)).toContain(`<base href="${token}">`);
  // A link that was opened before stays good, and so does what was sent by it
  expect((await workspace.submit(url, { [newsField]: "subscribed" })).status).toBe(200);
  expect(await workspace.state(news, ann)).toBe("Subscribed");
  for (const wrong of [`${form}A`, form.slice(0, -1)]) expect((await workspace.submit(wrong, {})).status).toBe(404);
});

test("a link that is none, or whose page is a draft or whose person is gone, opens a page that says so", async () => {
  const workspace = freshWorkspace(suite);
  const ann = await workspace.person();
  const id = await workspace.create();
  const url = await workspace.url(id, ann);
  for (const other of [`${url}x`, `${url.slice(0, -1)}`, `${suite.heddle.url}/preferences/abc`, `${url.slice(0, -3)}AAA`]) {
    const answer = await fetch(other);
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("not available")]);
    expect(answer.headers.get("content-security-policy")).toMatch(/; sandbox$/);
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    expect((await workspace.submit(other, { [letterField]: "subscribed" })).status).toBe(404);
  }
  const pages = { preference_center_page_html: "", confirmation_page_html: "" };
  await workspace.call("PUT", `${path}/${id}`, { ...pages, state: "draft" });
  expect((await fetch(url)).status).toBe(404);
  expect((await workspace.call("GET", `${path}/${id}/url/${ann}`)).status).toBe(409);
  await workspace.call("PUT", `${path}/${id}`, { ...pages, state: "active" });
  expect((await fetch(url)).status).toBe(200);
  expect((await workspace.call("GET", `${path}/${id}/url/${fresh()}`)).status).toBe(404);
  expect((await workspace.call("POST", "/users/delete", { external_ids: [ann] })).status).toBe(201);
  expect((await fetch(url)).status).toBe(404);
});

test("a link stays good when the person gets another external id", async () => {
  const workspace = freshWorkspace(suite);
  const ann = await workspace.person();
  const url = await workspace.url(await workspace.create(), ann);
  const renamed = fresh("renamed");
  const rename = { external_id_renames: [{ current_external_id: ann, new_external_id: renamed }] };
  expect((await workspace.call("POST", "/users/external_ids/rename", rename)).status).toBe(201);
  expect((await workspace.submit(url, { [letterField]: "subscribed" })).status).toBe(200);
  expect(await workspace.state(letter, renamed)).toBe("Subscribed");
});

test("a page of a megabyte opens", async () => {
  const workspace = freshWorkspace(suite);
  const filler = storedPage.replace("</body>", "<p>FILL</p></body>");
  const html = filler.replace("FILL", "x".repeat(1024 * 1024 - filler.length + 4));
  const url = await workspace.url(await workspace.create({ preference_center_page_html: html }), await workspace.person());
  expect((await textOf(url)).length).toBeGreaterThan(1024 * 1024 - 1_000);
});

test.each([
  ["https://a;script-src/i.png"],
  ["https://a,sandbox/i.png"],
  ["https://a'self'/i.png"],
  ["https://*/i.png"],
  ["https://[::1]/i.png"],
  ["http://a.example/i.png"],
])("a link tag of %s is refused, as its host would be a word of the policy", async (href) => {
  const workspace = freshWorkspace(suite, sharedKey);
  const tag = { rel: "icon", type: "image/png", sizes: "16x16", href };
  const body = { name: fresh("words"), preference_center_page_html: "", confirmation_page_html: "", options: { "link-tags": [tag] } };
  const answer = await workspace.call("POST", path, body);
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("'href' of a link tag must be an https address")]);
});
