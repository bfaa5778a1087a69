/** What tests of a move know of dashboard users, preference centers and translations: how to make some, and all that can be read of them. */
import { expect } from "vitest";
import { demoKey } from "./heddle.ts";
import { newUser, patchOp, tokens } from "./scim.ts";
import { ids } from "./translations.ts";

/** What it made, by which it is read again. */
export interface MadeContent {
  /** Ids of dashboard users, the last one of a deleted one. */
  readonly dashboardUsers: readonly string[];
  readonly centers: readonly string[];
  /** The page of the user `ann`, without the host. */
  readonly page: string;
}

/** What a declaration says of them: of the company, and of the workspace of `demoKey`. */
export const contentDeclaration = {
  company: {
    permissionSets: [{ name: "Editors" }],
    scimTokens: [{ name: "okta", origin: "okta", secret: tokens.acme }],
  },
  workspace: {
    teams: [{ name: "North" }],
    pages: { scripts: true, origins: ["https://cdn.example.com"] },
    translations: {
      enabled: true,
      locales: [
        { id: ids.spanish, name: "es-MX", country: "Mexico", language: "Spanish" },
        { id: ids.french, name: "fr" },
      ],
    },
    campaigns: [{
      id: ids.campaign,
      name: "Welcome",
      variations: [{ id: ids.email, name: "A", channel: "email", locales: ["es-MX", "fr"], source: { id_0: "Hello" } }],
    }],
    canvases: [{
      id: ids.canvas,
      name: "Journey",
      steps: [{
        id: ids.step,
        name: "First",
        variations: [{ id: ids.stepEmail, name: "A", channel: "email", locales: ["es-MX"], source: { id_0: "Step" } }],
      }],
    }],
  },
} as const;

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Call = readonly [method: Method, path: string, body?: unknown, headers?: Readonly<Record<string, string>>];

const mark = { "idempotency-key": "moved-with-the-rest" };
const center = { name: "Main", preference_center_title: "First", preference_center_page_html: "", confirmation_page_html: "" };
const translations = `/campaigns/translations?campaign_id=${ids.campaign}`;

/** There is a user `ann`. */
export async function makeContent(url: string): Promise<MadeContent> {
  const dashboardUsers: string[] = [];
  for (const [name, values] of Object.entries({ one: {}, two: { externalId: "two-2" }, gone: {} })) {
    const made = await asked(url, ["POST", "/scim/v2/Users", newUser({ userName: `${name}@example.com`, ...values })]);
    dashboardUsers.push(String(made.body["id"]));
  }
  const [first, , gone] = dashboardUsers;
  const change = { schemas: [patchOp], Operations: [{ op: "replace", value: { displayName: "Ä", active: false } }] };
  await asked(url, ["PATCH", `/scim/v2/Users/${first}`, change]);
  await asked(url, ["DELETE", `/scim/v2/Users/${gone}`]);
  dashboardUsers.push(String((await asked(url, repeatedUser)).body["id"]));
  const centers = [String((await asked(url, repeatedCenter)).body["preference_center_api_id"])];
  await asked(url, ["PUT", `/preference_center/v1/${centers[0]}`, { ...center, name: undefined, preference_center_title: "Second" }]);
  await asked(url, ["POST", "/preference_center/v1", { ...center, name: "Later", state: "draft" }]);
  await asked(url, putTexts(ids.spanish, "¡Hola! \u{1F600}", mark));
  await asked(url, putTexts(ids.french, "Salut"));
  const { body } = await asked(url, ["GET", `/preference_center/v1/${centers[0]}/url/ann`]);
  return { dashboardUsers, centers, page: new URL(String(body["preference_center_url"])).pathname };
}

const repeatedUser: Call = ["POST", "/scim/v2/Users", newUser({ userName: "again@example.com" }), mark];
const repeatedCenter: Call = ["POST", "/preference_center/v1", center, mark];

function putTexts(locale_id: string, text: string, headers: Readonly<Record<string, string>> = {}): Call {
  const body = { campaign_id: ids.campaign, message_variation_id: ids.email, locale_id, translation_map: { id_0: text } };
  return ["PUT", "/campaigns/translations", body, headers];
}

/** Every answer as it came, with its status, and entity tags: equal on both sides of a move. */
export async function readContent(url: string, { dashboardUsers, centers }: MadeContent): Promise<unknown> {
  const paths = [
    "/scim/v2/Users",
    `/scim/v2/Users?filter=${encodeURIComponent('externalId eq "two-2"')}`,
    ...dashboardUsers.map((id) => `/scim/v2/Users/${id}`),
    "/preference_center/v1/list",
    ...centers.flatMap((id) => [`/preference_center/v1/${id}`, `/preference_center/v1/${id}/versions`]),
    translations,
    `${translations.replace("translations?", "translations/source?")}&message_variation_id=${ids.email}`,
    `/canvas/translations?workflow_id=${ids.canvas}`,
  ];
  const read: unknown[] = [];
  for (const path of paths) {
    const answer = await send(url, ["GET", path]);
    read.push([path, answer.status, answer.headers.get("etag"), answer.text.replaceAll(url, "")]);
  }
  return read;
}

/** What was sent before a move with a mark is answered after it as it was, and not done again; links stay good. */
export async function repeatContent(url: string, { dashboardUsers, centers, page }: MadeContent): Promise<void> {
  expect((await asked(url, repeatedUser)).body["id"]).toBe(dashboardUsers.at(-1));
  expect((await asked(url, repeatedCenter)).body["preference_center_api_id"]).toBe(centers[0]);
  expect((await send(url, putTexts(ids.spanish, "another text", mark))).status).toBe(422);
  const answer = await fetch(`${url}${page}`);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain("Second");
}

async function asked(url: string, call: Call): Promise<Answered> {
  const answer = await send(url, call);
  expect(answer.status, `${call[0]} ${call[1]} ${answer.text}`).toBeLessThan(300);
  return answer;
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Empty where there is none. */
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(url: string, [method, path, body, headers = {}]: Call): Promise<Answered> {
  const isScim = path.startsWith("/scim/");
  const answer = await fetch(url + path, {
    method,
    headers: {
      "authorization": `Bearer ${isScim ? tokens.acme : demoKey}`,
      "content-type": isScim ? "application/scim+json" : "application/json",
      ...(isScim ? { "x-request-origin": "okta" } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: text === "" ? {} : JSON.parse(text) };
}
