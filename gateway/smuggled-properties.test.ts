/**
 * Properties that a client may not set (reliability S12): on every route, what is sent beside the documented properties, in the
 * body at any depth or in the query, reaches no part. The few bodies that go on as they are, are those of their parts' own tables.
 */
import { create, type DescMessage, type DescService, type Message, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "vitest";
import { ContentService } from "../proto/gen/heddle/content/v1/content_service_pb.ts";
import { TranslationService } from "../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { MessagingStatusService } from "../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { ScimService } from "../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { SubscriptionService } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { exampleRequest } from "../test/example-request.ts";
import { startStubGateway, type StubGateway } from "../test/gateway-stub.ts";
import { entries } from "./openapi/entries.ts";
import { routeTable } from "./route-table.ts";

let gateway: StubGateway | undefined;
afterEach(async () => {
  await gateway?.gateway.close();
  gateway = undefined;
});

/** What decides whose data it is and who asks, by every name that the API, its messages and its rows have for it. */
const foreign: Readonly<Record<string, unknown>> = {
  scope: { workspaceId: "ws-2", workspace_id: "ws-2", actor: "key-2", companyId: "co-2" },
  workspace: "ws-2",
  workspaceId: "ws-2",
  workspace_id: "ws-2",
  app_group_id: "ws-2",
  company: "co-2",
  companyId: "co-2",
  company_id: "co-2",
  actor: "key-2",
  origin: "smuggled",
  route: "smuggled",
  api_key_id: "key-2",
  readAfter: "smuggled",
  idempotencyKey: "smuggled",
  position: "smuggled",
  permit: { caller: { holder: { workspace: { id: "ws-2" } } } },
  currencyRates: { EUR: "1000" },
  currency_rates: { EUR: "1000" },
  created_at: "1999-01-01T00:00:00Z",
  updated_at: "1999-01-01T00:00:00Z",
  createdAt: 1,
  version: 99,
  revision: 99,
  baseUrl: "https://smuggled.example",
};

/** Calls whose body a part reads itself: test/http/properties.test.ts says what it takes of them. */
const opaque = ["trackUsers", "trackUsersSync", "createUser", "replaceUser", "patchUser"];

interface Seen {
  readonly method: string;
  readonly message: unknown;
}

const calls: Seen[] = [];

/** A part that notes what it is asked, and answers every call with nothing. */
function noting(service: DescService): object {
  return new Proxy({}, {
    get: (_, name: string) => async (request: object): Promise<Message> => {
      const method = service.method[name];
      if (method === undefined) throw new Error(`${service.typeName} has no method "${name}"`);
      // A note of a SCIM request comes later and says what was answered
      if (name !== "logRequests") calls.push({ method: name, message: shown(method.input, request) });
      return create(method.output);
    },
  });
}

/** Without what is different each time, and without bodies that go on as they are. */
function shown(schema: DescMessage, request: object): unknown {
  const message = toJson(schema, create(schema, request as MessageInitShape<typeof schema>)) as {
    scope?: Record<string, unknown>;
    bodyJson?: unknown;
    requestId?: unknown;
  };
  delete message.bodyJson;
  delete message.requestId;
  delete message.scope?.["requestId"];
  delete message.scope?.["traceparent"];
  return message;
}

/** The foreign properties beside those of every object in it, unless they are its own. */
function smuggled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(smuggled);
  if (typeof value !== "object" || value === null) return value;
  return { ...foreign, ...Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, smuggled(inner)])) };
}

/** Maps of the client's own names: a foreign property there is one more name. */
const ownNames: ReadonlySet<string> = new Set(["translation_map"]);

function withoutOwnNames(value: unknown, sent: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const names = Object.entries(value).map(([name, inner]) => [name, ownNames.has(name) ? (sent as Record<string, unknown>)[name] : inner]);
  return Object.fromEntries(names) as unknown;
}

test("what a client sends beside the documented properties reaches no part, on every route", async () => {
  const part = noting as (service: DescService) => object;
  gateway = await startStubGateway({
    profile: part(ProfileService),
    subscription: part(SubscriptionService),
    messagingStatus: part(MessagingStatusService),
    scim: part(ScimService),
    content: part(ContentService),
    translations: part(TranslationService),
  });
  const { url } = gateway;
  async function callsOf(target: string, init: RequestInit): Promise<{ status: number; calls: Seen[] }> {
    const { status } = await fetch(target, init).then(async (answer) => (await answer.arrayBuffer(), answer));
    return { status, calls: calls.splice(0) };
  }
  const asked = new Set<string>();
  for (const entry of entries) {
    for (const example of entry.examples) {
      const [target, init] = exampleRequest(url, entry, example);
      const usual = await callsOf(target, init);
      const query = new URLSearchParams(Object.entries(foreign).map(([name, value]): [string, string] => [name, JSON.stringify(value)]));
      const searched = await callsOf(`${target}${target.includes("?") ? "&" : "?"}${query}`, init);
      expect({ route: entry.route, in: "query", ...searched }).toEqual({ route: entry.route, in: "query", ...usual });
      for (const { method } of usual.calls) asked.add(method);
      if (typeof example.body !== "object" || example.body === null) continue;
      const body = JSON.stringify(withoutOwnNames(smuggled(example.body), example.body));
      const given = await callsOf(target, { ...init, body });
      // Refused as a whole is as good
      if (given.status === 400 && given.calls.length === 0) continue;
      expect({ route: entry.route, in: "body", ...given }).toEqual({ route: entry.route, in: "body", ...usual });
    }
  }
  expect(asked.size, [...asked].join()).toBeGreaterThan(30);
  expect(opaque.filter((method) => !asked.has(method))).toEqual([]);
  expect(entries.map(({ route }) => route).toSorted()).toEqual(routeTable.map(({ method, path }) => `${method} ${path}`).toSorted());
});
