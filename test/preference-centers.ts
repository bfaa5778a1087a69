/** What tests of preference centers share: many workspaces, as a workspace takes ten writes a minute; stored HTML; a person's page. */
import { expect } from "vitest";
import { type Answer, callHeddle } from "./client.ts";
import { apiKey, declared, workspace } from "./declaration.ts";
import { letter, news, texts } from "./stored-page.ts";
import { fresh, freshEmail, type Suite } from "./suite.ts";

export { letter, news, storedPage, texts } from "./stored-page.ts";

const workspaces = 24;
const spareKeys = Array.from({ length: workspaces }, (_, at) => `spare-key-of-the-tests-${at}`);
const subscriptionGroups = [
  { id: letter, name: "Weekly letter", channel: "email" },
  { id: news, name: "News & <more>", channel: "email" },
  { id: texts, name: "Texts", channel: "sms" },
];

/** Of a workspace whose pages may run scripts. */
export const scriptedKey = "scripted-key-of-the-tests";

/** Of a workspace with one group, whose id has a dot. */
export const dottedKey = "dotted-key-of-the-tests";
export const dotted = "offers.weekly";

/** All but one have the same groups; `demo` is the one of the suite's own key. */
export const centerDeclaration = declared({
  demo: { subscriptionGroups },
  others: [
    workspace("scripted", [apiKey("all", scriptedKey)], { subscriptionGroups, pages: { scripts: true } }),
    workspace("dotted", [apiKey("all", dottedKey)], { subscriptionGroups: [{ id: dotted, name: "Offers", channel: "email" }] }),
    ...spareKeys.map((key, at) => workspace(`spare-${at}`, [apiKey("all", key)], { subscriptionGroups })),
  ],
});

/** A key of a workspace that no other test uses. */
export function freshKey(): string {
  const key = spareKeys.pop();
  if (key === undefined) throw new Error("There are no more workspaces: raise their number in test/preference-centers.ts");
  return key;
}

type FormFields = Readonly<Record<string, string>> | string;

export interface Workspace {
  readonly key: string;
  /** Remembers the position of a write, and presents it with what follows, so that reads wait for it. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** A person's page sent as its form; a write as those of `call` are. */
  submit(url: string, fields: FormFields, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** A preference center with a name of its own; gives its id. */
  create(content?: object): Promise<string>;
  /** A user with an address; gives the external id. */
  person(email?: string): Promise<string>;
  /** The person's own page. */
  url(id: string, externalId: string): Promise<string>;
  /** Of a group, as /subscription/status/get has it. */
  state(group: string, externalId: string): Promise<unknown>;
  emailState(externalId: string): Promise<unknown>;
}

export function freshWorkspace(suite: Suite, key = freshKey()): Workspace {
  let position = "";
  function remember(headers: Headers): void {
    position = headers.get("x-heddle-position") ?? position;
  }
  async function call(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const seen = position === "" ? {} : { "x-heddle-position": position };
    const answer = await callHeddle(suite.heddle.url, { method, path, key, body, headers: { ...seen, ...headers } });
    remember(answer.headers);
    return answer;
  }
  async function expected(status: number, answer: Promise<Answer>): Promise<Answer> {
    const got = await answer;
    expect(got.status, got.text).toBe(status);
    return got;
  }
  return {
    key,
    call,
    async create(content = {}) {
      const body = { name: fresh("center"), preference_center_page_html: "", confirmation_page_html: "", ...content };
      return String((await expected(201, call("POST", "/preference_center/v1", body))).body["preference_center_api_id"]);
    },
    async person(email = freshEmail()) {
      const external_id = fresh();
      await expected(201, call("POST", "/users/track", { attributes: [{ external_id, email }] }));
      return external_id;
    },
    async url(id, externalId) {
      const { body } = await expected(200, call("GET", `/preference_center/v1/${id}/url/${encodeURIComponent(externalId)}`));
      return String(body["preference_center_url"]);
    },
    async state(group, externalId) {
      const query = new URLSearchParams({ subscription_group_id: group, external_id: externalId });
      const { body } = await expected(200, call("GET", `/subscription/status/get?${query}`));
      return Object.values(body["status"] as object)[0];
    },
    async emailState(externalId) {
      const asked = { external_ids: [externalId], fields_to_export: ["external_id", "email_subscribe"] };
      return (await expected(201, call("POST", "/users/export/ids", asked))).body.users?.[0]?.["email_subscribe"];
    },
    async submit(url, fields, headers = {}) {
      const answer = await submit(url, fields, headers);
      remember(answer.headers);
      return answer;
    },
  };
}

function submit(url: string, fields: FormFields, headers: Readonly<Record<string, string>>): Promise<Response> {
  const body = typeof fields === "string" ? fields : new URLSearchParams(fields).toString();
  return fetch(`${url}?save`, {
    method: "POST",
    body,
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    redirect: "manual",
  });
}

/** The page's own form as a browser sends it, but for its checkboxes: those that are ticked are named. */
export function sentBy(html: string, ticked: Readonly<Record<string, string>>, at = 0): string {
  const hidden = (html.split("<form")[at + 1] ?? "").split("</form>")[0]?.match(/<input type="hidden"[^>]*>/g) ?? [];
  const fields = hidden.map((tag): [string, string] => [/ name="([^"]*)"/.exec(tag)?.[1] ?? "", / value="([^"]*)"/.exec(tag)?.[1] ?? ""]);
  return new URLSearchParams([...fields, ...Object.entries(ticked)]).toString();
}

export async function textOf(url: string): Promise<string> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return await answer.text();
}
