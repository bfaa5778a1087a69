/** The OpenAPI document takes a body where the server takes all of it, and refuses it where the server does: clients are made of it. */
import { expect, test } from "vitest";
import { document, shapeProblem } from "../documented.ts";
import { heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const bought = { external_id: "ann", product_id: "tea", currency: "USD", price: 4.2, time: "2026-11-20T10:00:00Z" };

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

function schemaOf(path: string): object {
  return document.paths[path]?.["post"]?.requestBody?.content["application/json"]?.schema ?? {};
}
