/** Idempotency-Key on every route that writes: a repeat has the first answer, another body is refused, another API key has keys of its own. */
import { expect, test } from "vitest";
import { routeTable } from "../../gateway/route-table.ts";
import { demoKey } from "../heddle.ts";
import { fresh, freshEmail, freshPhone, heddleSuite } from "../suite.ts";
import { ids, translationDeclaration } from "../translations.ts";

const secondKey = "a-second-key-of-demo";
const group = "33333333-3333-4333-8333-333333333333";
const smsGroup = "44444444-4444-4444-8444-444444444444";
const declaration = translationDeclaration(demoKey).replace(
  "        apiKeys:\n",
  `        subscriptionGroups: [{ id: ${group}, name: Letter, channel: email }, { id: ${smsGroup}, name: Offers, channel: sms }]\n        apiKeys:\n` +
    `          - { name: second, permissions: ["*"], secret: ${secondKey} }\n`,
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

/** Their paths or bodies need what an earlier answer gave. test/http/preference-centers sends some twice. */
const elsewhere = [
  "POST /users/merge/undo",
  "POST /preference_center/v1",
  "PUT /preference_center/v1/:id",
  "POST /preference_center/v1/:id",
  "POST /preference_center/v1/:id/versions/:version/restore",
];

test("every route that writes is sent twice here, or listed", () => {
  const writing = routeTable.flatMap((route) => route.guard === "key" && route.takes === "write" ? [`${route.method} ${route.path}`] : []);
  expect([...Object.keys(makers), ...elsewhere].toSorted()).toEqual(writing.toSorted());
});

for (const [route, make] of Object.entries(makers)) {
  test(`${route} with an Idempotency-Key`, async () => {
    const [method = "", path = ""] = route.split(" ");
    const headers = { "idempotency-key": fresh("key") };
    const [first, other] = [make(), make()];
    function send(body: object, key = demoKey) {
      return suite.heddle.request(method, path, body, { key, headers });
    }
    const answer = await send(first);
    expect([200, 201, 202], answer.text).toContain(answer.status);
    const again = await send(first);
    expect([again.status, again.text, again.headers.get("idempotency-replayed")]).toEqual([answer.status, answer.text, "true"]);
    const reused = await send(other);
    expect([reused.status, reused.headers.get("x-heddle-reason")], reused.text).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
    const ofAnother = await send(other, secondKey);
    expect([ofAnother.status, ofAnother.headers.get("idempotency-replayed")], ofAnother.text).toEqual([answer.status, null]);
  });
}
