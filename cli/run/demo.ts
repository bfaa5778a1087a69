/** The demo workspace of a first start, its key, which is shown once and stored nowhere, and a command to try it with. */
import { declare } from "../../gateway/access/declare/declare.ts";
import { everyPermission, operatorPermission } from "../../gateway/access/permissions.ts";
import { keyPrefix } from "../../gateway/access/secret.ts";
import type { AccessAdmin } from "../../gateway/access/store/sqlite.ts";
import { secret } from "../../platform/identifier.ts";

/** What the demo workspace's people can subscribe to, by email. */
export const demoGroups = [
  { id: "11111111-1111-4111-8111-111111111111", name: "Weekly letter" },
  { id: "22222222-2222-4222-8222-222222222222", name: "Offers" },
];

interface Demo {
  /** Undefined where no person would see it. */
  readonly key: string | undefined;
}

/**
 * Makes company and workspace `demo` with two groups, where nothing has been declared at all. A key for everything comes with it where a
 * person sees what is printed: in a log it would be read by others, for ever.
 */
export async function makeDemo(access: AccessAdmin, { isSeen }: { readonly isSeen: boolean }): Promise<Demo | undefined> {
  if (access.rows().companies.length > 0) return undefined;
  const made = isSeen ? secret(keyPrefix) : undefined;
  const keys = made === undefined ? [] : [{ line: 0, name: "demo", permissions: [everyPermission, operatorPermission], secret: made }];
  const items = demoGroups.map(({ id, name }) =>
    ({ line: 0, kind: "subscription_group", id, name, content: { name, channel: "email" } }) as const
  );
  const workspace = { line: 0, name: "demo", currencyRates: {}, apps: [], apiKeys: keys, items };
  await declare(access, { companies: [{ line: 0, name: "demo", scimTokens: [], workspaces: [workspace] }] });
  return { key: made };
}

/** Where no person would see the key. */
export const keylessDemoText = `
A demo workspace is ready. As this is no terminal, it has no key yet. Make one, which is shown once:
  heddle keys create --workspace demo/demo --name demo --permissions '*,${operatorPermission}'
`;

/** What a person sees who starts Heddle for the first time. It is printed as soon as the key is there: nothing could show it later. */
export function demoKeyText(key: string): string {
  return `
A demo workspace is ready. Its API key, which is shown this once:
  ${key}
`;
}

/** Once it is known where Heddle listens: a request that works when pasted, and how to read it back. */
export function demoCallsText(url: string, key: string, now: number): string {
  const time = `${new Date(now).toISOString().slice(0, "YYYY-MM-DDTHH:MM:SS".length)}Z`;
  const headers = `-H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json'`;
  const base = url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  return `
Send an attribute, an event and a purchase of a user:
  curl -s ${base}/users/track ${headers} -d '{
    "attributes": [{ "external_id": "ann", "first_name": "Ann", "email": "ann@example.com", "likes_tea": true }],
    "events": [{ "external_id": "ann", "name": "signed_up", "time": "${time}" }],
    "purchases": [{ "external_id": "ann", "product_id": "tea", "currency": "USD", "price": 4.20, "quantity": 2, "time": "${time}" }]
  }'

Read the user back:
  curl -s ${base}/users/export/ids ${headers} -d '{ "external_ids": ["ann"] }'

Make a page on which people choose their email, then get Ann's link to it, with the preference_center_api_id of the answer:
  curl -s ${base}/preference_center/v1 ${headers} -d '{
    "name": "main", "preference_center_page_html": "", "confirmation_page_html": ""
  }'
  curl -s ${base}/preference_center/v1/<id>/url/ann ${headers}

Every call, to read and to try, and what this server does, both with the key above:
  ${base}/docs
  ${base}/console
`;
}
