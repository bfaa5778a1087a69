/** The OpenAPI document takes a body where the server takes all of it, and refuses it where the server does: clients are made of it. */
import { expect, test } from "vitest";
import { document, shapeProblem } from "../documented.ts";
import { heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const bought = { external_id: "ann", product_id: "tea", currency: "USD", price: 4.2, time: "2026-11-20T10:00:00Z" };
const pair = { identifier_to_merge: { external_id: "ben" }, identifier_to_keep: { external_id: "ann" } };
const alias = { alias_label: "shop", alias_name: "visitor" };
const byEmail = { external_id: "ann", email: "ann@example.com", prioritization: ["identified"] };
const platformId = "0123456789abcdef01234567";

for (
  const [title, path, body, isTaken] of [
    ["a price that is a number", "/users/track", purchase({}), true],
    ["a price below 0", "/users/track", purchase({ price: -100_000_000_000 }), true],
    ["a price that is text", "/users/track", purchase({ price: "4.20" }), false],
    ["a price beyond the largest", "/users/track", purchase({ price: 100_000_000_001 }), false],
    ["a price beyond the smallest", "/users/track", purchase({ price: -100_000_000_001 }), false],
    ["an email that is taken away", "/users/track", attributes({ email: null }), true],
    ["a phone that is taken away", "/users/track", attributes({ phone: null }), true],
    ["push_subscribe that is taken away", "/users/track", attributes({ push_subscribe: null }), true],
    ["push_subscribe that is no state", "/users/track", attributes({ push_subscribe: "maybe" }), false],
    ["email_subscribe that is null", "/users/track", attributes({ email_subscribe: null }), false],
    ["a preview of two merges", "/users/merge/preview", { merge_updates: [pair, pair] }, false],
    ["an undo of the 51st merge of a request", "/users/merge/undo", { job_id: "m1-none", index: 50 }, false],
    ["51 aliases to identify", "/users/identify", { aliases_to_identify: times(51, { external_id: "ann", user_alias: alias }) }, false],
    ["51 emails to identify", "/users/identify", { emails_to_identify: times(51, byEmail) }, false],
    ["50 platform ids to export", "/users/export/ids", { platform_id: times(50, platformId) }, true],
    ["51 platform ids to export", "/users/export/ids", { platform_id: times(51, platformId) }, false],
    ["51 ids of the older name to export", "/users/export/ids", { braze_id: times(51, platformId) }, false],
    ["100 fields to export", "/users/export/ids", { external_ids: ["ann"], fields_to_export: times(100, "email") }, true],
    ["101 fields to export", "/users/export/ids", { external_ids: ["ann"], fields_to_export: times(101, "email") }, false],
    ["a new alias of 255 characters", "/users/alias/new", { user_aliases: [{ ...alias, alias_name: "a".repeat(255) }] }, true],
    ["a new alias of 256 characters", "/users/alias/new", { user_aliases: [{ ...alias, alias_name: "a".repeat(256) }] }, false],
    ["an alias that is renamed to nothing", "/users/alias/update", renamed(""), false],
    ["an alias that is renamed to 256 characters", "/users/alias/update", renamed("a".repeat(256)), false],
  ] as const
) {
  test(`${title} is ${isTaken ? "taken" : "refused"}, as the document says`, async () => {
    const answer = await heddle.post(path, body);
    expect([answer.status < 300 && answer.body.errors === undefined, answer.text]).toEqual([isTaken, answer.text]);
    const problem = shapeProblem(schemaOf(path), body);
    expect(problem === undefined, problem).toBe(isTaken);
  });
}

function purchase(fields: object): object {
  return { purchases: [{ ...bought, ...fields }] };
}

function attributes(fields: object): object {
  return { attributes: [{ external_id: "ann", ...fields }] };
}

function renamed(to: string): object {
  return { alias_updates: [{ alias_label: "shop", old_alias_name: "visitor", new_alias_name: to }] };
}

function times(count: number, what: unknown): unknown[] {
  return Array.from({ length: count }, () => what);
}

function schemaOf(path: string): object {
  return document.paths[path]?.["post"]?.requestBody?.content["application/json"]?.schema ?? {};
}
