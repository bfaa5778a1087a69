/** The demo workspace of a first start: its key, kept for later starts, and a command to try it with. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Access } from "../gateway/access/access.ts";
import { declare } from "../gateway/access/declare.ts";
import { everyPermission } from "../gateway/access/permissions.ts";
import { keyPrefix, secretProblem } from "../gateway/access/secret.ts";
import type { AccessAdmin } from "../gateway/access/sqlite.ts";
import { secret } from "../platform/identifier.ts";

const keyFile = "demo-key";
const ownerOnly = 0o600;
/** What the demo workspace's people can subscribe to, by email. */
export const demoGroups = [
  { id: "11111111-1111-4111-8111-111111111111", name: "Weekly letter" },
  { id: "22222222-2222-4222-8222-222222222222", name: "Offers" },
];

/** Makes company and workspace `demo` with a key for everything and two groups, where nothing has been declared at all. */
export async function makeDemo(access: AccessAdmin, dataDir: string): Promise<void> {
  if (access.rows().companies.length > 0) return;
  const path = join(dataDir, keyFile);
  // The file first: a key that is declared and kept nowhere would be lost.
  const made = readDemoKey(dataDir) ?? secret(keyPrefix);
  writeFileSync(path, `${made}\n`, { mode: ownerOnly });
  const key = { line: 0, name: "demo", permissions: [everyPermission], secret: made };
  const items = demoGroups.map(({ id, name }) =>
    ({ line: 0, kind: "subscription_group", id, name, content: { name, channel: "email" } }) as const
  );
  const workspace = { line: 0, name: "demo", currencyRates: {}, apps: [], apiKeys: [key], items };
  await declare(access, { companies: [{ line: 0, name: "demo", scimTokens: [], workspaces: [workspace] }] });
}

/** The key of the demo workspace, while it is valid. */
export function findDemoKey(access: Access, dataDir: string): string | undefined {
  const key = readDemoKey(dataDir);
  return key !== undefined && access.findApiKey(key) ? key : undefined;
}

function readDemoKey(dataDir: string): string | undefined {
  const path = join(dataDir, keyFile);
  const key = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  return secretProblem(key) === undefined ? key : undefined;
}

/** What a person sees who starts Heddle for the first time: the key, a request that works when pasted, and how to read it back. */
export function demoText(url: string, key: string, now: number): string {
  const time = `${new Date(now).toISOString().slice(0, "YYYY-MM-DDTHH:MM:SS".length)}Z`;
  const headers = `-H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json'`;
  const base = url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  return `
A demo workspace is ready. Its API key:
  ${key}

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
