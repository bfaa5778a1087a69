/** The link to a person's page after the person was merged: it opens the page of whoever took the person in, and an undo gives back what was chosen by it. */
import { expect, test } from "vitest";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";
import { centerDeclaration, freshWorkspace, letter, news, type Workspace } from "../preference-centers.ts";

const suite = heddleSuite({ apply: centerDeclaration });

async function merge(workspace: Workspace, source: object, target: object): Promise<string> {
  const merge_updates = [{ identifier_to_merge: source, identifier_to_keep: target }];
  const answer = await workspace.call("POST", "/users/merge", { merge_updates });
  expect(answer.status, answer.text).toBe(202);
  return answer.body.job_id ?? "";
}

test("what is chosen by the link of a merged user goes back with the user, and what is chosen by the other's link stays", async () => {
  const workspace = freshWorkspace(suite);
  const [source, target, center] = [await workspace.person(), await workspace.person(), await workspace.create()];
  const [ofSource, ofTarget] = [await workspace.url(center, source), await workspace.url(center, target)];
  const job_id = await merge(workspace, { external_id: source }, { external_id: target });
  expect((await workspace.submit(ofSource, { [`subscription_group_${letter}`]: "subscribed" })).status).toBe(200);
  expect((await workspace.submit(ofTarget, { [`subscription_group_${news}`]: "subscribed" })).status).toBe(200);
  expect([await workspace.state(letter, target), await workspace.state(news, target)]).toEqual(["Subscribed", "Subscribed"]);
  expect((await workspace.call("POST", "/users/merge/undo", { job_id })).status).toBe(201);
  expect([await workspace.state(letter, source), await workspace.state(news, source)]).toEqual(["Subscribed", "Unknown"]);
  expect([await workspace.state(letter, target), await workspace.state(news, target)]).toEqual(["Unknown", "Subscribed"]);
  expect((await workspace.submit(ofSource, { [`subscription_group_${letter}`]: "unsubscribed" })).status).toBe(200);
  expect([await workspace.state(letter, source), await workspace.state(letter, target)]).toEqual(["Unsubscribed", "Unknown"]);
});

test("a link stays good where the user who took the person in has no external id", async () => {
  const workspace = freshWorkspace(suite);
  const email = freshEmail();
  const person = await workspace.person(email);
  const url = await workspace.url(await workspace.create(), person);
  const user_alias = { alias_label: "crm", alias_name: fresh() };
  const attributes = [{ user_alias, _update_existing_only: false, city: "Rome" }];
  expect((await workspace.call("POST", "/users/track", { attributes })).status).toBe(201);
  await merge(workspace, { external_id: person }, { user_alias });
  const page = await fetch(url);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(`<strong>${email}</strong>`)]);
  expect((await workspace.submit(url, { [`subscription_group_${letter}`]: "subscribed" })).status).toBe(200);
  expect(await (await fetch(url)).text()).toContain(`name="subscription_group_${letter}" value="subscribed" checked`);
  const status = await workspace.call("GET", `/subscription/user/status?${new URLSearchParams({ email })}`);
  expect(status.body).toMatchObject({ users: [{ subscription_groups: [{ id: letter, status: "Subscribed" }] }] });
});
