/** Preference centers over HTTP: create, update, get, list, limits, repeats, versions (specification; api-facts 6). */
import { expect, test } from "vitest";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";
import { centerDeclaration, freshWorkspace, storedPage } from "../preference-centers.ts";

const suite = heddleSuite({ apply: centerDeclaration });
const path = "/preference_center/v1";
const pages = { preference_center_page_html: "", confirmation_page_html: "" };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/;

test("POST /preference_center/v1 answers 201 with id, tag and time, and GET gives back what was stored, defaults filled in", async () => {
  const { call } = freshWorkspace(suite);
  const made = await call("POST", path, { name: "Kitchen_shop-1", ...pages, partner: "x" });
  expect(made.status, made.text).toBe(201);
  expect(made.body).toEqual({
    preference_center_api_id: expect.stringMatching(uuid),
    liquid_tag: "{{preference_center.${Kitchen_shop-1}}}",
    created_at: expect.stringMatching(time),
    message: "success",
  });
  const id = made.body["preference_center_api_id"];
  const got = await call("GET", `${path}/${id}`);
  expect(got.status).toBe(200);
  expect(got.body).toEqual({
    name: "Kitchen_shop-1",
    preference_center_api_id: id,
    created_at: made.body["created_at"],
    updated_at: made.body["created_at"],
    preference_center_title: "Preference Center",
    ...pages,
    redirect_page_html: null,
    preference_center_options: {},
    state: "active",
  });
});

test.each(["PUT", "POST"])("%s /preference_center/v1/{id} updates what is sent, keeps the rest and never renames", async (method) => {
  const { call } = freshWorkspace(suite);
  const links = [{ rel: "icon", type: "image/png", sizes: "16x16", color: "#fff", href: "https://cdn.example.com/i.png" }];
  const options = { "meta-viewport-content": "width=device-width, initial-scale=1", "link-tags": links };
  const made = await call("POST", path, {
    name: "a",
    ...pages,
    preference_center_title: "First",
    options,
    redirect_page_html: "<p>Off</p>",
  });
  expect(made.status, made.text).toBe(201);
  const id = made.body["preference_center_api_id"];
  const answer = await call(method, `${path}/${id}`, {
    name: "b",
    preference_center_page_html: storedPage,
    confirmation_page_html: "<p>Thanks</p>",
    state: "draft",
  });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual({
    preference_center_api_id: id,
    created_at: made.body["created_at"],
    updated_at: expect.stringMatching(time),
    message: "success",
  });
  expect((await call("GET", `${path}/${id}/`)).body).toMatchObject({
    name: "a",
    preference_center_title: "First",
    preference_center_page_html: storedPage,
    confirmation_page_html: "<p>Thanks</p>",
    redirect_page_html: "<p>Off</p>",
    preference_center_options: { "meta-viewport-content": options["meta-viewport-content"], "links-tags": links },
    state: "draft",
  });
});

test("GET /preference_center/v1/list names those of the workspace in the order of their creation", async () => {
  const { call, create } = freshWorkspace(suite);
  const other = freshWorkspace(suite);
  expect((await call("GET", `${path}/list`)).body).toEqual({ preference_centers: [] });
  const ids = [await create({ name: "b" }), await create({ name: "a" })];
  await other.create({ name: "a" });
  const { body } = await call("GET", `${path}/list`);
  const found = { created_at: expect.stringMatching(time), updated_at: expect.stringMatching(time) };
  expect(body).toEqual({
    preference_centers: [
      { name: "b", preference_center_api_id: ids[0], ...found },
      { name: "a", preference_center_api_id: ids[1], ...found },
    ],
  });
});

test("an id of another workspace, or of none, is 404", async () => {
  const { call } = freshWorkspace(suite);
  const id = await freshWorkspace(suite).create();
  for (const target of [id, "x", "list2"]) {
    expect((await call("GET", `${path}/${target}`)).status).toBe(404);
    expect((await call("PUT", `${path}/${target}`, pages)).status).toBe(404);
    expect((await call("GET", `${path}/${target}/url/ann`)).status).toBe(404);
    expect((await call("GET", `${path}/${target}/versions`)).status).toBe(404);
  }
});

test("a preference center is found by its id in upper case too", async () => {
  const workspace = freshWorkspace(suite);
  const id = await workspace.create({ preference_center_title: "One" });
  const upper = `${path}/${id.toUpperCase()}`;
  const updated = await workspace.call("PUT", upper, { ...pages, preference_center_title: "Two" });
  expect([updated.status, updated.body["preference_center_api_id"]]).toEqual([200, id]);
  for (const rest of ["", `/url/${await workspace.person()}`, "/versions", "/versions/1", "/versions/2/diff"]) {
    expect((await workspace.call("GET", upper + rest)).status, rest).toBe(200);
  }
  expect((await workspace.call("GET", `${upper}/versions`)).body["versions"]).toHaveLength(2);
  expect((await workspace.call("POST", `${upper}/versions/1/restore`, {})).status).toBe(200);
  expect((await workspace.call("GET", `${path}/${id}`)).body).toMatchObject({ preference_center_title: "One" });
});

test("a user gets a link whatever text the external id is", async () => {
  const workspace = freshWorkspace(suite);
  const id = await workspace.create();
  const ids = ["/", "\\", "\t", "?#%2F"].map((mark) => `${fresh()}a${mark}b`);
  for (const external_id of ids) {
    const answer = await workspace.call("POST", "/users/track", { attributes: [{ external_id, email: freshEmail() }] });
    expect(answer.status, answer.text).toBe(201);
    expect((await fetch(await workspace.url(id, external_id))).status).toBe(200);
  }
  expect((await workspace.call("GET", `${path}/${id}/url/nobody%2Fhere`)).headers.get("x-heddle-reason")).toBe("NOT_FOUND");
});

test("a name is taken once, also by many at one moment", async () => {
  const { call } = freshWorkspace(suite);
  const answers = await Promise.all(Array.from({ length: 8 }, () => call("POST", path, { name: "one", ...pages })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
});

test("what is wrong with a body is said", async () => {
  const { call, create } = freshWorkspace(suite);
  const other = freshWorkspace(suite);
  const id = await create();
  for (
    const [body, text] of [
      [{ name: "a", confirmation_page_html: "" }, "'preference_center_page_html' is required"],
      [{ name: "a", preference_center_page_html: "" }, "'confirmation_page_html' is required"],
      [pages, "'name' is required"],
      [{ name: "a b", ...pages }, "'name' must be"],
      [{ name: "a", ...pages, state: "off" }, "'state' must be 'active' or 'draft'"],
      [{ name: "a", ...pages, options: [] }, "'options' must be an object"],
      [{ name: "a", ...pages, options: { "links-tags": [{ rel: "stylesheet", href: "https://x.example/a.css" }] } }, "'rel' of a link tag"],
      [{ name: "a", ...pages, options: { "links-tags": [{ rel: "icon", href: "javascript:alert(1)" }] } }, "'href' of a link tag"],
    ] as const
  ) {
    const answer = await other.call("POST", path, body);
    expect([answer.status, answer.body.message], JSON.stringify(body)).toEqual([400, expect.stringContaining(text)]);
  }
  expect((await call("PUT", `${path}/${id}`, {})).status).toBe(400);
});

test("HTML that would do harm or cannot be filled in is 400 with line and reason, and nothing is stored", async () => {
  const { call, create } = freshWorkspace(suite);
  const id = await create({ preference_center_page_html: storedPage });
  for (
    const [html, text] of [
      [storedPage.replace("{% endif %}", ""), "line 11: tag {% if"],
      [storedPage.replace("{% endif %}", "{% endif %}{% include 'x' %}"), 'line 11: unknown tag "include"'],
      [
        storedPage.replace('<input type="submit"', '<input type="submit" formaction="https://evil.example/"'),
        "line 16: the formaction of <input>",
      ],
      [storedPage.replace("{{ preference_center_submit_url }}", "https://evil.example/"), "line 9: the action of <form>"],
      [
        storedPage.replace("<h1>", '<a href="https://shop.example/{{${first_name}}}">x</a><h1>'),
        "line 8: Liquid output may not stand in an address",
      ],
      [storedPage.replace("<h1>", "<script>var name = '{{${first_name}}}'</script><h1>"), "line 8: within <script> may stand"],
    ] as const
  ) {
    const answer = await call("PUT", `${path}/${id}`, { preference_center_page_html: html, confirmation_page_html: "" });
    expect([answer.status, answer.body.message], text).toEqual([
      400,
      expect.stringContaining(`'preference_center_page_html' would not work: `),
    ]);
    expect(answer.body.message).toContain(text);
  }
  expect((await call("GET", `${path}/${id}`)).body["preference_center_page_html"]).toBe(storedPage);
});

test.each([["<p>page</p>"], ["<h1>Hi</h1>"], ["string"]])(
  "the page %s is taken, with a warning, as a draft too, and opens",
  async (html) => {
    const workspace = freshWorkspace(suite);
    const { call } = workspace;
    const pages = { preference_center_page_html: html, confirmation_page_html: "string" };
    const noForm = "'preference_center_page_html' has no form, so nothing can be chosen on it: " +
      "a form is sent by post to {{preference_center_submit_url}}";
    const created = await call("POST", path, { name: fresh("plain"), state: "draft", ...pages });
    expect([created.status, created.body["warnings"]], created.text).toEqual([201, [noForm]]);
    const id = String(created.body["preference_center_api_id"]);
    const updated = await call("PUT", `${path}/${id}`, { ...pages, preference_center_title: "Now", state: "active" });
    expect([updated.status, updated.body["warnings"], updated.body.message]).toEqual([200, [noForm], "success"]);
    expect((await call("GET", `${path}/${id}`)).body).toMatchObject({ ...pages, state: "active" });
    const opened = await fetch(await workspace.url(id, await workspace.person()));
    expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining(html)]);
  },
);

test("what will not work in the HTML is told in warnings, with its line, and the page is written", async () => {
  const { call, create } = freshWorkspace(suite);
  const id = await create();
  for (
    const [html, warning] of [
      [storedPage.replace("</form>", ""), "line 9: the tag <form> is not closed"],
      [storedPage.replace("<h1>", "<heading>").replace("</h1>", "</heading>"), "line 8: unknown tag <heading>"],
      [storedPage.replace('method="post"', 'method="get"'), 'line 9: the form saves nothing: its method must be "post"'],
      [storedPage.replace("${email_address}", "${nickname}"), 'line 8: "${nickname}" is empty, as pages know no such variable'],
    ] as const
  ) {
    const { status, body } = await call("PUT", `${path}/${id}`, { preference_center_page_html: html, confirmation_page_html: "" });
    expect([status, body["warnings"]]).toEqual([200, [`'preference_center_page_html' ${warning}`]]);
    expect((await call("GET", `${path}/${id}`)).body["preference_center_page_html"]).toBe(html);
  }
});

test("a page of a megabyte works, a larger one is refused by name", async () => {
  const { call, create } = freshWorkspace(suite);
  const id = await create();
  const filler = storedPage.replace("</body>", "<p>FILL</p></body>");
  const most = 1024 * 1024;
  const html = filler.replace("FILL", "x".repeat(most - filler.length + "FILL".length));
  expect(html).toHaveLength(most);
  const taken = await call("PUT", `${path}/${id}`, { preference_center_page_html: html, confirmation_page_html: "" });
  expect(taken.status, taken.text.slice(0, 200)).toBe(200);
  expect((await call("GET", `${path}/${id}`)).body["preference_center_page_html"]).toBe(html);
  const refused = await call("PUT", `${path}/${id}`, { preference_center_page_html: `${html}x`, confirmation_page_html: "" });
  expect([refused.status, refused.body.message]).toEqual([400, `'preference_center_page_html' may not be larger than ${most} bytes`]);
});

test("writes are limited to ten a minute, reads to a thousand", async () => {
  const { call, create } = freshWorkspace(suite);
  const id = await create();
  const answers = [];
  for (let turn = 0; turn < 12; turn += 1) answers.push(await call("PUT", `${path}/${id}`, pages));
  expect(answers[0]?.headers.get("x-ratelimit-limit")).toBe("10");
  expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(answers.map(({ status }) => status)).toContain(429);
  expect((await call("GET", `${path}/${id}`)).headers.get("x-ratelimit-limit")).toBe("1000");
});

test("an Idempotency-Key answers a repeat as the first, and another body with 422, also at one moment", async () => {
  const { call } = freshWorkspace(suite);
  const key = { "idempotency-key": fresh("key") };
  const [first, second] = await Promise.all([
    call("POST", path, { name: "a", ...pages }, key),
    call("POST", path, { name: "a", ...pages }, key),
  ]);
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
  expect([first, second].map(({ headers }) => headers.get("idempotency-replayed")).toSorted()).toEqual(["true", null].toSorted());
  expect((await call("POST", path, { name: "b", ...pages }, key)).status).toBe(422);
  const both = { "idempotency-key": fresh("key") };
  const answers = await Promise.all(["c", "d", "e"].map((name) => call("POST", path, { name, ...pages }, both)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422]);
  const { body } = await call("GET", `${path}/list`);
  expect(body["preference_centers"]).toHaveLength(2);
});

test("every version is kept: list, one, difference, restore", async () => {
  const { call, create } = freshWorkspace(suite);
  const id = await create({ preference_center_title: "One" });
  await call("PUT", `${path}/${id}`, { ...pages, preference_center_title: "Two", preference_center_page_html: storedPage });
  await call("PUT", `${path}/${id}`, { ...pages, preference_center_page_html: storedPage.replace("> Letter<", "> The letter<") });
  // The same once more is no version
  await call("PUT", `${path}/${id}`, { ...pages, preference_center_page_html: storedPage.replace("> Letter<", "> The letter<") });
  const listed = await call("GET", `${path}/${id}/versions`);
  expect((listed.body["versions"] as { version: number }[]).map(({ version }) => version)).toEqual([3, 2, 1]);
  expect((await call("GET", `${path}/${id}/versions?limit=1&before=3`)).body["versions"]).toMatchObject([{
    version: 2,
    written_by: expect.stringMatching(/^key_/),
  }]);
  expect((await call("GET", `${path}/${id}/versions/1`)).body).toMatchObject({ version: 1, preference_center_title: "One" });
  const { body } = await call("GET", `${path}/${id}/versions/3/diff`);
  expect(body["fields"]).toEqual([{
    field: "preference_center_page_html",
    unified: expect.stringMatching(/^-.*> Letter<\/label>\n\+.*> The letter</m),
  }]);
  const withText = await call("POST", `${path}/${id}/versions/1/restore`, { preference_center_title: "Two" });
  expect([withText.status, withText.body["message"]]).toEqual([400, "This request takes no fields, but has 'preference_center_title'"]);
  const restored = await call("POST", `${path}/${id}/versions/1/restore`, {});
  expect([restored.status, restored.body["version"]], restored.text).toEqual([200, 4]);
  expect((await call("GET", `${path}/${id}`)).body).toMatchObject({ preference_center_title: "One", preference_center_page_html: "" });
  expect((await call("GET", `${path}/${id}/versions/4`)).body).toMatchObject({ restored_from: 1 });
  expect((await call("GET", `${path}/${id}/versions/9`)).status).toBe(404);
});

test("PUT takes the title, both pages and the options, each a text or an object and nothing else", async () => {
  const { call, create } = freshWorkspace(suite);
  const id = await create();
  const content = { preference_center_title: "Letters", preference_center_page_html: "", confirmation_page_html: "<p>Thanks</p>" };
  const options = { "meta-viewport-content": "width=device-width" };
  expect((await call("PUT", `${path}/${id}`, { ...content, options })).status).toBe(200);
  expect((await call("GET", `${path}/${id}`)).body).toMatchObject({ ...content, preference_center_options: options });
  for (const field of ["preference_center_title", "preference_center_page_html", "confirmation_page_html", "options", "state"]) {
    const answer = await call("PUT", `${path}/${id}`, { ...content, [field]: 5 });
    expect([answer.status, answer.body.message], field).toEqual([400, expect.stringContaining(`'${field}'`)]);
  }
  for (const viewport of [5, "width=\ud800"]) {
    const answer = await call("PUT", `${path}/${id}`, { ...content, options: { "meta-viewport-content": viewport } });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining("meta-viewport-content")]);
  }
});

test("PUT refuses half of a surrogate pair in any text, which could not be read back", async () => {
  const { call, create } = freshWorkspace(suite);
  const id = await create();
  const before = (await call("GET", `${path}/${id}`)).body;
  for (const field of ["preference_center_title", "preference_center_page_html", "confirmation_page_html", "redirect_page_html"]) {
    const answer = await call("PUT", `${path}/${id}`, { ...pages, [field]: "a\ud800b" });
    expect([answer.status, answer.body.message]).toEqual([400, `'${field}' must not hold half of a surrogate pair`]);
  }
  expect((await call("GET", `${path}/${id}`)).body).toEqual(before);
});
