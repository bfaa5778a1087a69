/** What a person leaves: which checkboxes of stored pages were left empty, what is never taken for that, and what was left as it is. */
import { expect, test } from "vitest";
import { freshEmail, heddleSuite } from "../suite.ts";
import { centerDeclaration, freshWorkspace, letter, news, sentBy, storedPage, textOf } from "../preference-centers.ts";

const suite = heddleSuite({ apply: centerDeclaration });
const letterField = `subscription_group_${letter}`;
const [letterName, globalName] = [`{% form_field_name :subscription_group ${letter} %}`, "{% form_field_name :email_global_state %}"];
const begin = '<form method="post" action="{{preference_center_submit_url}}">';
const letterBox = `<input type="checkbox" name="${letterName}" value="subscribed">`;
const globalBox = `<input type="checkbox" name="${globalName}" value="opted_in">`;

/** Where nothing is behind, and the page says this of what it shows. */
async function pageShowing(url: string, said: string): Promise<string> {
  let html = "";
  const mark = `name="shown_state" value="${said}"`;
  await expect.poll(async () => (html = await textOf(url)), { timeout: 30_000, interval: 100 }).toContain(mark);
  return html;
}

test.each([
  [
    "in the branch for others",
    `${begin}{% if {{subscribed_state.\${email_global}}} == 'unsubscribed' %}${globalBox}{% else %}${letterBox}{% endif %}</form>`,
  ],
  ["in another form", `${begin}${letterBox}</form>${begin}${globalBox}</form>`],
  ["disabled", `${begin}${letterBox}${globalBox.replace(">", " checked disabled>")}</form>`],
])("a checkbox that is %s was not left empty by the person: nothing is recorded of it", async (_, html) => {
  const workspace = freshWorkspace(suite);
  const ann = await workspace.person();
  const url = await workspace.url(await workspace.create({ preference_center_page_html: html }), ann);
  expect((await workspace.submit(url, sentBy(await textOf(url), { [letterField]: "subscribed" }))).status).toBe(200);
  expect([await workspace.state(letter, ann), await workspace.emailState(ann)]).toEqual(["Subscribed", "subscribed"]);
});

test("a checkbox that a later version adds, or means otherwise, was not left empty on a page that was open before", async () => {
  const workspace = freshWorkspace(suite);
  const ann = await workspace.person();
  const id = await workspace.create({ preference_center_page_html: `${begin}${letterBox}</form>` });
  const url = await workspace.url(id, ann);
  expect((await workspace.submit(url, sentBy(await textOf(url), { [letterField]: "subscribed" }))).status).toBe(200);
  const before = await textOf(url);
  const later = {
    preference_center_page_html: `${begin}${letterBox.replace('"subscribed"', '"unsubscribed"')}${globalBox}</form>`,
    confirmation_page_html: "",
  };
  expect((await workspace.call("PUT", `/preference_center/v1/${id}`, later)).status).toBe(200);
  expect((await workspace.submit(url, sentBy(before, {}))).status).toBe(200);
  expect([await workspace.state(letter, ann), await workspace.emailState(ann)]).toEqual(["Unsubscribed", "subscribed"]);
});

test("a checkbox that is written once for each branch of a condition is one that can be left empty", async () => {
  const workspace = freshWorkspace(suite);
  const ann = await workspace.person();
  const condition = `{% if {{subscribed_state.\${${letter}}}} == 'subscribed' %}${
    letterBox.replace(">", " checked>")
  }{% else %}${letterBox}{% endif %}`;
  const url = await workspace.url(await workspace.create({ preference_center_page_html: `${begin}${condition}</form>` }), ann);
  for (const [ticked, state] of [[{ [letterField]: "subscribed" }, "Subscribed"], [{}, "Unsubscribed"]] as const) {
    expect((await workspace.submit(url, sentBy(await textOf(url), ticked))).status).toBe(200);
    expect(await workspace.state(letter, ann)).toBe(state);
  }
});

test.each([["the built-in page", ""], ["a stored page", storedPage]])(
  "what a person leaves alone on %s that was open takes back no unsubscribe that came elsewhere since",
  async (_, html) => {
    const workspace = freshWorkspace(suite);
    const email = freshEmail();
    const ann = await workspace.person(email);
    const url = await workspace.url(await workspace.create({ preference_center_page_html: html }), ann);
    const set = { subscription_group_id: news, external_id: [ann] };
    expect((await workspace.call("POST", "/subscription/status/set", { ...set, subscription_state: "subscribed" })).status).toBe(201);
    const open = await pageShowing(url, `subscription_group_${news}.subscribed`);
    expect((await workspace.call("POST", "/subscription/status/set", { ...set, subscription_state: "unsubscribed" })).status).toBe(201);
    expect((await workspace.call("POST", "/email/status", { email, subscription_state: "unsubscribed" })).status).toBe(201);
    await pageShowing(url, "email_global_state.unsubscribed");
    const ticked = { [letterField]: "subscribed", [`subscription_group_${news}`]: "subscribed" };
    const saved = await workspace.submit(url, sentBy(open, ticked));
    const said = await saved.text();
    expect([saved.status, said]).toEqual([
      200,
      expect.stringContaining("<bdi>News &amp; &lt;more&gt;</bdi>: <strong>Unsubscribed</strong>"),
    ]);
    expect(said).not.toContain("<bdi>All emails</bdi>: <strong>Subscribed</strong>");
    expect([await workspace.state(letter, ann), await workspace.state(news, ann), await workspace.emailState(ann)])
      .toEqual(["Subscribed", "Unsubscribed", "unsubscribed"]);
  },
);

test("what says of checkboxes and states that they were shown takes nothing from the fields that a form may have", async () => {
  const workspace = freshWorkspace(suite);
  const ann = await workspace.person();
  const url = await workspace.url(await workspace.create({ preference_center_page_html: storedPage }), ann);
  const many = (name: string) => `&${name}=x`.repeat(500);
  expect((await workspace.submit(url, `${letterField}=subscribed${many("other")}`)).status).toBe(400);
  expect(await workspace.state(letter, ann)).toBe("Unknown");
  expect((await workspace.submit(url, `${letterField}=subscribed${many("shown_box")}${many("shown_state")}`)).status).toBe(200);
  expect(await workspace.state(letter, ann)).toBe("Subscribed");
});
