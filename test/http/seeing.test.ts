/** What a running Heddle shows of itself: readiness, metrics on a port of their own, one trace a request, logs without personal data. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Collector, startCollector } from "../collector.ts";
import { emailGroup } from "../consent.ts";
import { demoKey, type Heddle, startHeddle, testShape } from "../heddle.ts";
import { fresh, freshEmail } from "../suite.ts";

const scimToken = "scim-token-that-nobody-may-see";
const declaration = `
companies:
  - name: acme
    scimTokens: [{ name: okta, origin: okta, secret: ${scimToken} }]
    workspaces:
      - name: demo
        plan: standard
        apiKeys: [{ name: all, permissions: ["*"], secret: ${demoKey} }]
        subscriptionGroups: [{ id: ${emailGroup}, name: Letter, channel: email }]
`;

let collector: Collector;
let heddle: Heddle;

beforeAll(async () => {
  collector = await startCollector();
  heddle = await startHeddle({
    apply: declaration,
    env: { HEDDLE_METRICS_PORT: "0", HEDDLE_LOG_LEVEL: "debug", OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
});

afterAll(async () => {
  await heddle.close();
  await collector.close();
});

/** The ports for operators, one a process. */
function metricsUrls(): string[] {
  return [...heddle.output().matchAll(/"url":"([^"]+)","event":"metrics_listening"/g)].map(([, url = ""]) => url);
}

async function metricsText(): Promise<string> {
  const texts = await Promise.all(metricsUrls().map(async (url) => (await fetch(`${url}/metrics`)).text()));
  return texts.join("\n");
}

test("/livez and /readyz answer for clients and for operators", async () => {
  expect((await heddle.request("GET", "/livez", undefined, { key: undefined })).status).toBe(200);
  expect((await heddle.request("GET", "/readyz", undefined, { key: undefined })).status).toBe(200);
  expect(metricsUrls().length).toBeGreaterThan(0);
  for (const url of metricsUrls()) {
    for (const path of ["/livez", "/readyz"]) expect((await fetch(url + path)).status, path).toBe(200);
    expect((await fetch(`${url}/users/track`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: "POST" })).status).toBe(405);
  }
});

test("/metrics counts requests by the pattern of their route", async () => {
  const id = fresh();
  await heddle.request("POST", "/users/track", { attributes: [{ external_id: id, a: 1 }] });
  await heddle.request("GET", `/users/merge/status/${id}`);
  await heddle.request("GET", `/nowhere/${id}`);
  await expect.poll(metricsText).toMatch(/^heddle_store_duration_seconds_count\{store="\w+",operation="\w+"\} [1-9]/m);
  const text = await metricsText();
  expect(text).toMatch(/^heddle_http_requests_total\{route="\/users\/track",method="POST",status="201"\} [1-9]/m);
  expect(text).toContain('route="/users/merge/status/:id"');
  expect(text).toMatch(/^heddle_http_requests_total\{route="none",method="any",status="404"\} [1-9]/m);
  expect(text).toMatch(/^heddle_log_append_duration_seconds_count\{log="intake"\} [1-9]/m);
  expect(text).toMatch(/^heddle_limiter_duration_seconds_count [1-9]/m);
  expect(text).toMatch(
    /^heddle_rpc_duration_seconds_count\{method="heddle.profile.v1.ProfileService\/TrackUsers",outcome="answered"\} [1-9]/m,
  );
  expect(text).toMatch(/^heddle_lane_lag_records\{lane="intake-0"\} \d/m);
  for (const service of ["subscription", "messaging-status"]) {
    for (const unit of ["records", "seconds"]) expect(text).toMatch(new RegExp(`^heddle_lane_lag_${unit}\\{lane="${service}"\\} \\d`, "m"));
  }
  expect(text).toMatch(/^heddle_event_loop_lag_seconds \d/m);
  expect(text).toMatch(/^heddle_ready 1$/m);
  expect(text).not.toContain(id);
});

test("/metrics counts what waits for a human, by the service that holds it", async () => {
  const none = [["profile", "held_users"], ["profile", "set_aside"], ["subscription", "set_aside"], ["messaging-status", "set_aside"]];
  for (const [service, kind] of none) {
    await expect.poll(metricsText).toContain(`heddle_dead_letters{service="${service}",kind="${kind}"} 0\n`);
  }
});

test("one trace goes from the request through the log to the rows", async () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const answer = await heddle.request("POST", "/users/track", { attributes: [{ external_id: fresh(), a: 1 }] }, {
    headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
  });
  expect(answer.headers.get("traceresponse")).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  const road = [
    "POST /users/track",
    "heddle.profile.v1.ProfileService/TrackUsers",
    "intake append",
    ...(testShape === "mesh" ? ["resolve"] : []),
    "apply",
    "store commit",
  ];
  await expect.poll(() => collector.spans(traceId).map(({ name }) => name).toSorted()).toEqual(road.toSorted());
  const spans = collector.spans(traceId);
  for (const [at, name] of road.entries()) {
    const parent = at === 0 ? "00f067aa0ba902b7" : spans.find((span) => span.name === road[at - 1])?.spanId;
    expect(spans.find((span) => span.name === name), name).toMatchObject({ parentSpanId: parent });
  }
});

test("one trace goes from a change of consent through both logs to the rows of the service that owns it", async () => {
  const [id, email] = [fresh(), freshEmail()];
  await heddle.request("POST", "/users/track", { attributes: [{ external_id: id, email }] });
  const set = { subscription_group_id: emailGroup, subscription_state: "subscribed", external_id: [id] };
  await expectRoad("POST /subscription/status/set", "heddle.subscription.v1.SubscriptionService/SetStatus", {
    traceId: "7bf92f3577b34da6a3ce929d0e0e4736",
    body: set,
  });
  await expectRoad("POST /email/status", "heddle.messaging_status.v1.MessagingStatusService/SetEmailStatus", {
    traceId: "8bf92f3577b34da6a3ce929d0e0e4736",
    body: { email, subscription_state: "unsubscribed" },
  });
});

/** The resolver decides, and embedded writes, before the service that owns the consent applies it. */
async function expectRoad(route: string, rpc: string, { traceId, body }: { traceId: string; body: object }): Promise<void> {
  const [method = "", path = ""] = route.split(" ");
  const answer = await heddle.request(method, path, body, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
  expect(answer.status).toBe(201);
  const appended = [route, rpc, "intake append"];
  const decided = [...appended, testShape === "mesh" ? "resolve" : "apply"];
  const roads = [
    [route],
    [route, rpc],
    appended,
    decided,
    ...(testShape === "mesh" ? [] : [[...decided, "store commit"]]),
    [...decided, "apply"],
    [...decided, "apply", "store commit"],
  ];
  await expect.poll(() => roadsOf(traceId)).toEqual(roads.map((road) => road.join(" > ")).toSorted());
}

test("calls of services without lanes stand in the trace of their request", async () => {
  const calls = [
    [
      "/preference_center/v1/list",
      heddle.key,
      "heddle.content.v1.ContentService/ListPreferenceCenters",
      "9bf92f3577b34da6a3ce929d0e0e4736",
    ],
    ["/scim/v2/Users", scimToken, "heddle.scim.v1.ScimService/ListUsers", "abf92f3577b34da6a3ce929d0e0e4736"],
  ] as const;
  for (const [path, key, rpc, traceId] of calls) {
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, "x-request-origin": "okta" };
    expect((await heddle.request("GET", path, undefined, { key, headers })).status).toBe(200);
    await expect.poll(() => roadsOf(traceId)).toEqual([`GET ${path}`, `GET ${path} > ${rpc}`]);
  }
});

/** Of every span the names of those above it, the request first, and its own; once, as what failed is done again. */
function roadsOf(traceId: string): string[] {
  const spans = collector.spans(traceId);
  function roadTo(span: (typeof spans)[number]): string[] {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
    return [...(parent === undefined ? [] : roadTo(parent)), span.name];
  }
  return [...new Set(spans.map((span) => roadTo(span).join(" > ")))].toSorted();
}

test("a request without traceparent begins a trace; one whose caller does not record it is not recorded", async () => {
  const begun = await heddle.request("POST", "/users/export/ids", { external_ids: [fresh()] });
  expect(begun.headers.get("traceresponse")).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  const quiet = await heddle.request("POST", "/users/export/ids", { external_ids: [fresh()] }, {
    headers: { traceparent: "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00" },
  });
  expect(quiet.headers.get("traceresponse")).toBeNull();
});

test("log lines carry the ids of request and trace", async () => {
  const traceId = "5bf92f3577b34da6a3ce929d0e0e4736";
  await heddle.request("POST", "/users/export/ids", { external_ids: [fresh()] }, {
    headers: { "x-request-id": "seen-in-the-log", traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
  });
  function line(): string | undefined {
    return heddle.output().split("\n").find((one) => one.includes("seen-in-the-log"));
  }
  await expect.poll(line).toBeDefined();
  expect(JSON.parse(line() ?? "{}")).toMatchObject({
    event: "request",
    requestId: "seen-in-the-log",
    traceId,
    route: "/users/export/ids",
    status: 201,
  });
});

test("no personal data and no key in logs, metrics and traces", async () => {
  const secrets = ["zanzibar", "zz-person@example.com", "+14155550199", "Quillfeather", "sku-secret-7", "zz-alias-name"];
  const [externalId = "", email = "", phone = "", name = "", product = "", alias = ""] = secrets;
  const headers = { traceparent: "00-6bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
  const calls: [method: string, path: string, body?: unknown][] = [
    ["POST", "/users/track", {
      attributes: [{ external_id: externalId, first_name: name, email, phone, [name]: alias }, { email: `${name}@@`, a: 1 }],
      events: [{ external_id: externalId, name, time: "not a time", properties: { email } }],
      purchases: [{ external_id: externalId, product_id: product, currency: "USD", price: 1, time: "2026-11-20T10:00:00Z" }],
    }],
    ["POST", "/users/track", `{"attributes":[{"external_id":"${externalId}",`],
    ["POST", "/users/export/ids", { external_ids: [externalId], email_address: email }],
    ["POST", "/users/alias/new", { user_aliases: [{ external_id: externalId, alias_label: name, alias_name: alias }] }],
    ["POST", "/users/merge", {
      merge_updates: [{ identifier_to_merge: { external_id: externalId }, identifier_to_keep: { external_id: email } }],
    }],
    ["GET", `/users/merge/status/${encodeURIComponent(email)}`],
    ["GET", `/users/${email}?api_key=${name}`],
    ["GET", `/subscription/user/status?email=${encodeURIComponent(email)}&external_id=${externalId}`],
    ["POST", "/email/status", { email, subscription_state: name }],
    ["POST", "/users/delete", { external_ids: [externalId] }],
  ];
  for (const [method, path, body] of calls) await heddle.request(method, path, body, { headers });
  await heddle.request("POST", "/users/track", {}, { key: "a-key-that-nobody-has" });
  await expect.poll(() => collector.text()).toContain("/users/delete");
  const shown = [heddle.output(), await metricsText(), collector.text()].join("\n");
  for (const secret of [...secrets, heddle.key, scimToken, "a-key-that-nobody-has"]) expect(shown).not.toContain(secret);
});
