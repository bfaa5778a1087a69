/** Idempotency-Key on every route that writes: a repeat has the first answer, another body is refused, another API key has keys of its own. */
import { expect, test } from "vitest";
import { routeTable } from "../../gateway/route-table.ts";
import { operationOf } from "../documented.ts";
import { demoKey } from "../heddle.ts";
import { fresh, freshEmail, freshPhone, heddleSuite } from "../suite.ts";
import { ids, translationDeclaration } from "../translations.ts";

const secondKey = "a-second-key-of-demo";
const group = "33333333-3333-4333-8333-333333333333";
const smsGroup = "44444444-4444-4444-8444-444444444444";
const declaration = translationDeclaration(demoKey).replaceAll(`["*"]`, `["*", "console.operate"]`).replace(
  "        apiKeys:\n",
  `        limits: { preference_center_create: 1000, preference_center_update: 1000 }\n` +
    `        subscriptionGroups: [{ id: ${group}, name: Letter, channel: email }, { id: ${smsGroup}, name: Offers, channel: sms }]\n        apiKeys:\n` +
    `          - { name: second, permissions: ["*", "console.operate"], secret: ${secondKey} }\n`,
);
const suite = heddleSuite({ apply: declaration });

/** A new body each time it is asked for. */
type Make = () => object;

function track(): object {
  return { attributes: [{ external_id: fresh(), first_name: "Ann" }] };
}

function translated(owner: object, texts: readonly string[]): Make {
  return () => ({ ...owner, locale_id: ids.spanish, translation_map: Object.fromEntries(texts.map((id) => [id, fresh("text")])) });
}

const ofCampaign = translated({ campaign_id: ids.campaign, message_variation_id: ids.email }, ["id_0", "id_1"]);
const ofCanvas = translated({ workflow_id: ids.canvas, step_id: ids.step, message_variation_id: ids.stepEmail }, ["id_0"]);

const makers: Readonly<Record<string, Make>> = {
  "POST /users/track": track,
  "POST /users/track/sync": track,
  "POST /users/track/bulk": track,
  "POST /users/alias/new": () => ({ user_aliases: [{ alias_label: "l", alias_name: fresh() }] }),
  "POST /users/alias/update": () => ({ alias_updates: [{ alias_label: "l", old_alias_name: fresh(), new_alias_name: fresh() }] }),
  "POST /users/merge": () => ({
    merge_updates: [{ identifier_to_merge: { external_id: fresh() }, identifier_to_keep: { external_id: fresh() } }],
  }),
  "POST /users/identify": () => ({
    aliases_to_identify: [{ external_id: fresh(), user_alias: { alias_label: "l", alias_name: fresh() } }],
  }),
  "POST /users/delete": () => ({ external_ids: [fresh()] }),
  "POST /users/external_ids/rename": () => ({ external_id_renames: [{ current_external_id: fresh(), new_external_id: fresh() }] }),
  "POST /users/external_ids/remove": () => ({ external_ids: [fresh()] }),
  "POST /subscription/status/set": () => ({ subscription_group_id: group, subscription_state: "subscribed", external_id: [fresh()] }),
  "POST /v2/subscription/status/set": () => ({
    subscription_groups: [{ subscription_group_id: smsGroup, subscription_state: "subscribed", external_ids: [fresh()] }],
  }),
  "POST /email/status": () => ({ email: freshEmail(), subscription_state: "unsubscribed" }),
  "POST /email/blocklist": () => ({ email: freshEmail() }),
  "POST /email/blacklist": () => ({ email: [freshEmail()] }),
  "POST /email/bounce/remove": () => ({ email: freshEmail() }),
  "POST /email/spam/remove": () => ({ email: freshEmail() }),
  "POST /sms/invalid_phone_numbers/remove": () => ({ phone_numbers: [freshPhone()] }),
  "PUT /campaigns/translations": ofCampaign,
  "PUT /campaign/translations": ofCampaign,
  "PUT /canvas/translations": ofCanvas,
};

/** Their paths or bodies need what an earlier answer gave: two requests of the same route, about different things. */
const afterOthers: Readonly<Record<string, () => Promise<readonly [Sent, Sent]>>> = {
  "POST /console/rejected/admit": async () => {
    const users = [{ external_id: fresh() }, { external_id: fresh() }] as const;
    await suite.track({ attributes: users });
    return [{ body: users[0] }, { body: users[1] }];
  },
  "POST /users/merge/undo": async () => [{ body: { job_id: await mergeJob() } }, { body: { job_id: await mergeJob() } }],
  "POST /preference_center/v1": async () => [{ body: center() }, { body: center() }],
  "PUT /preference_center/v1/:id": () => changes((id) => ({ path: `/preference_center/v1/${id}`, body: pages })),
  "POST /preference_center/v1/:id": () => changes((id) => ({ path: `/preference_center/v1/${id}`, body: pages })),
  "POST /preference_center/v1/:id/versions/:version/restore": () =>
    changes((id) => ({ path: `/preference_center/v1/${id}/versions/1/restore`, body: {} })),
};

interface Sent {
  /** The route's own unless given. */
  readonly path?: string;
  readonly body: object | string;
}

const pages = { preference_center_page_html: "", confirmation_page_html: "", preference_center_title: "Two" };

function center(): object {
  return { ...pages, name: fresh("center"), preference_center_title: "One" };
}

/** The same body for two preference centers: only the path differs. */
async function changes(change: (id: string) => Sent): Promise<readonly [Sent, Sent]> {
  const made = await Promise.all([1, 2].map(() => suite.post("/preference_center/v1", center())));
  const [one = "", two = ""] = made.map(({ body }) => String(body["preference_center_api_id"]));
  return [change(one), change(two)];
}

async function mergeJob(): Promise<string> {
  const [source, target] = [fresh(), fresh()];
  await suite.track({ attributes: [{ external_id: source, a: 1 }, { external_id: target, b: 2 }] });
  const jobId = await suite.merge(source, target);
  await suite.get(`/users/merge/status/${jobId}`);
  return jobId;
}

/** By POST and without an effect: there is nothing that could be done twice, and an answer is always that of now. */
const readingPosts = [
  "POST /users/export/ids",
  "POST /users/merge/preview",
  "POST /preference_center/v1/:id/preview",
  "POST /console/log/records",
  "POST /console/users",
  "POST /console/people",
  "POST /console/people/search",
  "POST /subscription/status/get",
  "POST /subscription/user/status",
];
/** By people and their mail programs, who send no header. Saying the same choice twice is saying it once. */
const openPosts = ["POST /unsubscribe/:token", "POST /preferences/:token"];
/** test/http/scim-changes.test.ts sends these twice. */
const scimWrites = ["POST /scim/v2/Users", "PUT /scim/v2/Users/:id", "PATCH /scim/v2/Users/:id"];
/** A key's secret is shown once and stored nowhere, so that no answer could be repeated; sessions are as their last cookie says. */
const secretPosts = [
  "POST /console/keys",
  "POST /console/keys/revoke",
  "POST /console/keys/rotate",
  "POST /console/session",
  "POST /console/session/end",
  "POST /console/session/end-all",
];
/** What was tried once more or passed over waits no longer: sent again it is 404, or does nothing. */
const operatorPosts = ["POST /console/log/redrive", "POST /console/log/skip"];
const scimReads = ["POST /scim/v2/Users/.search", "POST /scim/v2/.search"];

test("every POST, PUT and PATCH is sent twice here, or listed with a reason", () => {
  const named = routeTable.filter(({ method }) => method !== "GET" && method !== "DELETE").map(({ method, path }) => `${method} ${path}`);
  const here = [
    ...Object.keys(makers),
    ...Object.keys(afterOthers),
    ...readingPosts,
    ...openPosts,
    ...secretPosts,
    ...operatorPosts,
    ...scimWrites,
    ...scimReads,
  ];
  expect(here.toSorted()).toEqual(named.toSorted());
});

test("the routes that read by POST do nothing, whatever key they are sent with", () => {
  const reading = routeTable.flatMap((route) =>
    route.guard === "key" && route.method !== "GET" && route.takes === "read" ? [`${route.method} ${route.path}`] : []
  );
  expect(reading.toSorted()).toEqual(readingPosts.toSorted());
});

test("the document offers an Idempotency-Key for the routes that keep their answers, and for no other", () => {
  const key = "#/components/parameters/IdempotencyKey";
  const offered = routeTable.filter((route) => operationOf(route)?.parameters.some(({ $ref }) => $ref === key));
  expect(offered.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
    [...Object.keys(makers), ...Object.keys(afterOthers), ...scimWrites].toSorted(),
  );
});

for (const [route, make] of Object.entries(makers)) {
  test(`${route} with an Idempotency-Key`, () => sendTwice(route, [{ body: make() }, { body: make() }]));
}

for (const [route, prepare] of Object.entries(afterOthers)) {
  test(`${route} with an Idempotency-Key`, async () => sendTwice(route, await prepare()));
}

/** The first request, the same again, another with the same key, the first in other bytes, and the other one of another API key. */
async function sendTwice(route: string, [first, other]: readonly [Sent, Sent]): Promise<void> {
  const [method = "", path = ""] = route.split(" ");
  const headers = { "idempotency-key": fresh("key") };
  function send(sent: Sent, key = demoKey) {
    return suite.request(method, sent.path ?? path, sent.body, { key, headers });
  }
  const answer = await send(first);
  expect([200, 201, 202], answer.text).toContain(answer.status);
  const again = await send(first);
  expect([again.status, again.text, again.headers.get("idempotency-replayed")]).toEqual([answer.status, answer.text, "true"]);
  for (const another of [other, { ...first, body: ` ${JSON.stringify(first.body)}` }]) {
    const reused = await send(another);
    expect([reused.status, reused.headers.get("x-heddle-reason")], reused.text).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
  }
  const ofAnother = await send(other, secondKey);
  expect([ofAnother.status, ofAnother.headers.get("idempotency-replayed")], ofAnother.text).toEqual([answer.status, null]);
}
