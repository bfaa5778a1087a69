/** What a running Heddle shows of itself: readiness, metrics on a port of their own, one trace a request, logs without personal data. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Collector, startCollector } from "../collector.ts";
import { runCommand } from "../command-line.ts";
import { emailGroup } from "../consent.ts";
import { apiKey, declared, operatorPermissions, scimTokens } from "../declaration.ts";
import { demoKey, type Heddle, startHeddle, testShape } from "../heddle.ts";
import { fresh, freshEmail } from "../suite.ts";
import { isAnswer, looseCalls, roadsOf } from "../roads.ts";

const scimToken = "scim-token-that-nobody-may-see";
const declaration = declared({
  company: { scimTokens: scimTokens(scimToken) },
  demo: {
    apiKeys: [apiKey("all", demoKey, operatorPermissions)],
    subscriptionGroups: [{ id: emailGroup, name: "Letter", channel: "email" }],
  },
});

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
  expect((await heddle.request("GET", "/metrics")).status).toBe(404);
  expect(metricsUrls().length).toBeGreaterThan(0);
  for (const url of metricsUrls()) {
    for (const path of ["/livez", "/readyz"]) expect((await fetch(url + path)).status, path).toBe(200);
    expect((await fetch(`${url}/users/track`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: "POST" })).status).toBe(405);
  }
});

test("appends are observed in each process that makes them", async () => {
  const email = `${fresh()}@example.com`;
  await heddle.request("POST", "/email/status", { email, subscription_state: "unsubscribed" });
  await heddle.request("POST", "/users/track", { attributes: [{ external_id: fresh(), a: 1 }] });
  const series = [...(await metricsText()).matchAll(/^heddle_log_append_duration_seconds_count\{log="intake"\} [1-9]/gm)];
  expect(series.length).toBeGreaterThanOrEqual(testShape === "mesh" ? 2 : 1);
});

test("/metrics counts requests by the pattern of their route", async () => {
  const id = fresh();
  await heddle.request("POST", "/users/track", { attributes: [{ external_id: id, a: 1 }] });
  await heddle.request("GET", `/users/merge/status/${id}`);
  await heddle.request("GET", `/nowhere/${id}`);
  await expect.poll(metricsText).toMatch(/^heddle_store_duration_seconds_count\{store="\w+",operation="\w+"\} [1-9]/m);
  const text = await metricsText();
  expect(text).toMatch(/^heddle_http_requests_total\{route="\/users\/track",method="POST",status="201"\} [1-9]/m);
  expect(text).toMatch(/^heddle_http_request_duration_seconds_count\{route="\/users\/track",method="POST"\} [1-9]/m);
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
  const id = fresh();
  const { answer, traceId } = await traced("POST", "/users/track", { attributes: [{ external_id: id, a: 1 }] });
  expect(answer.headers.get("traceresponse")).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  const appended = ["POST /users/track", "ProfileService/TrackUsers", "intake append"];
  const road = [...appended, ...(testShape === "mesh" ? ["resolve"] : []), "apply", "store commit"];
  await expectRoads(traceId, road.map((_, at) => road.slice(0, at + 1)));
  expect(collector.spans(traceId).find(({ name }) => name === "POST /users/track")).toMatchObject({ parentSpanId: callerSpan });
});

test("one trace goes from a change of consent through both logs to the rows of the service that owns it", async () => {
  const [id, email] = [fresh(), freshEmail()];
  await heddle.request("POST", "/users/track", { attributes: [{ external_id: id, email }] });
  const set = { subscription_group_id: emailGroup, subscription_state: "subscribed", external_id: [id] };
  const group = await traced("POST", "/subscription/status/set", set);
  const call = ["POST /subscription/status/set", "SubscriptionService/SetStatus"];
  await expectRoads(group.traceId, [["POST /subscription/status/set"], call, ...consentRoads(call)]);
  const status = await traced("POST", "/email/status", { email, subscription_state: "unsubscribed" });
  const statusCall = ["POST /email/status", "MessagingStatusService/SetEmailStatus"];
  await expectRoads(status.traceId, [["POST /email/status"], statusCall, ...consentRoads(statusCall)]);
});

test("one trace goes from a form of a hosted page, and from its page, through every part to the rows", async () => {
  const [id, email] = [fresh(), freshEmail()];
  await heddle.request("POST", "/users/track", { attributes: [{ external_id: id, email }] });
  const made = await heddle.request("POST", "/preference_center/v1", {
    name: fresh("center"),
    preference_center_title: "Mail",
    preference_center_page_html: "",
    confirmation_page_html: "",
    state: "active",
  });
  const centerId = String(made.body["preference_center_api_id"]);
  const linked = await heddle.request("GET", `/preference_center/v1/${centerId}/url/${id}`);
  const pathname = pathOf(String(linked.body["preference_center_url"]));
  const opened = await traced("GET", pathname);
  const open = ["GET /preferences/:token", "ContentService/OpenPreferencePage"];
  await expectRoads(opened.traceId, [["GET /preferences/:token"], open, ...pageReads(open)]);
  const form = `subscription_group_${emailGroup}=subscribed&email_global_state=opted_in`;
  const saved = await traced("POST", `${pathname}?save`, form, { "content-type": "application/x-www-form-urlencoded" });
  const submit = ["POST /preferences/:token", "ContentService/SubmitPreferencePage"];
  await expectRoads(saved.traceId, [
    ["POST /preferences/:token"],
    submit,
    ...pageReads(submit),
    ...["MessagingStatusService/SetEmailStatus", "SubscriptionService/SetStatus"].flatMap((rpc) => [
      [...submit, rpc],
      ...consentRoads([...submit, rpc]),
    ]),
  ]);
});

/** Whose page it is, and its states; each service that is asked has waited for the log. */
function pageReads(call: readonly string[]): string[][] {
  const who = "ProfileService/ResolveUsers";
  const reads = ["SubscriptionService/GetUserStatus", "MessagingStatusService/GetEmailStates"];
  return [[who], ["SubscriptionService/ListGroups"], ...reads.flatMap((read) => [[read], [read, who]])].map((road) => [...call, ...road]);
}

test("one trace goes from a click that unsubscribes to the rows", async () => {
  const email = freshEmail();
  const { code, output, errors } = await runCommand(
    ["consent", "link", "--email", email, "--url", heddle.url, "--workspace", "demo"],
    heddle.commandEnv,
  );
  expect(code, errors).toBe(0);
  const pathname = pathOf(output.trim());
  const opened = await traced("GET", pathname);
  await expectRoads(opened.traceId, [
    ["GET /unsubscribe/:token"],
    ["GET /unsubscribe/:token", "MessagingStatusService/OpenUnsubscribeLink"],
  ]);
  const clicked = await traced("POST", pathname, "List-Unsubscribe=One-Click", { "content-type": "application/x-www-form-urlencoded" });
  const click = ["POST /unsubscribe/:token"];
  const call = [...click, "MessagingStatusService/UseUnsubscribeLink"];
  await expectRoads(clicked.traceId, [click, [...click, "MessagingStatusService/OpenUnsubscribeLink"], call, ...consentRoads(call)]);
});

test("calls of services without lanes stand in the trace of their request", async () => {
  const path = "/preference_center/v1/list";
  const centers = await traced("GET", path);
  await expectRoads(centers.traceId, [[`GET ${path}`], [`GET ${path}`, "ContentService/ListPreferenceCenters"]]);
  const users = await traced("GET", "/scim/v2/Users", undefined, { authorization: `Bearer ${scimToken}`, "x-request-origin": "okta" });
  await expectRoads(users.traceId, [["GET /scim/v2/Users"], ["GET /scim/v2/Users", "ScimService/ListUsers"]]);
});

test("the console asks every part in the trace of its request", async () => {
  const { traceId } = await traced("GET", "/console/overview");
  const services = ["ProfileService", "SubscriptionService", "MessagingStatusService"];
  await expectRoads(traceId, [
    ["GET /console/overview"],
    ...services.map((service) => ["GET /console/overview", `${service}/GetProgress`]),
  ]);
});

test("an export asks for the status of addresses in the trace of its request", async () => {
  const [id, email] = [fresh(), freshEmail()];
  await heddle.request("POST", "/users/track", { attributes: [{ external_id: id, email }] });
  const { traceId } = await traced("POST", "/users/export/ids", { external_ids: [id] });
  const call = ["POST /users/export/ids", "ProfileService/ExportUsers"];
  await expectRoads(traceId, [["POST /users/export/ids"], call, [...call, "MessagingStatusService/GetEmailStates"]]);
});

/** The holder of a link acts for its person, so it must be shown nowhere. */
const links: string[] = [];

function pathOf(link: string): string {
  const { pathname } = new URL(link);
  links.push(pathname.split("/").at(-1) ?? "");
  return pathname;
}

const callerSpan = "00f067aa0ba902b7";

/** Calls with a trace of the caller's own. */
async function traced(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const traceId = randomUUID().replaceAll("-", "");
  const answer = await fetch(heddle.url + path, {
    method,
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    headers: {
      authorization: `Bearer ${heddle.key}`,
      "content-type": "application/json",
      traceparent: `00-${traceId}-${callerSpan}-01`,
      ...headers,
    },
  });
  expect(answer.ok, await answer.text()).toBe(true);
  return { answer, traceId };
}

/** The resolver decides, and embedded writes, before the service that owns the consent applies it. */
function consentRoads(call: readonly string[]): string[][] {
  const decided = ["intake append", testShape === "mesh" ? "resolve" : "apply"];
  const roads = [
    ["intake append"],
    decided,
    ...(testShape === "mesh" ? [] : [[...decided, "store commit"]]),
    [...decided, "apply"],
    [...decided, "apply", "store commit"],
  ];
  return roads.map((road) => [...call, ...road]);
}

/** The spans of a trace are these and no others, each below the one that it belongs to, whichever process recorded it. */
async function expectRoads(traceId: string, roads: readonly (readonly string[])[]): Promise<void> {
  await expect.poll(() => roadsOf(collector.spans(traceId))).toEqual(roads.map((road) => road.join(" > ")).toSorted());
  const loose = looseCalls(collector.spans(traceId));
  expect(loose).toEqual(testShape === "mesh" ? [] : collector.spans(traceId).filter(isAnswer).map(({ name }) => name));
}

test("a request without traceparent begins a trace; one whose caller does not record it is not recorded", async () => {
  const begun = await heddle.request("POST", "/users/export/ids", { external_ids: [fresh()] });
  expect(begun.headers.get("traceresponse")).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  const quiet = await heddle.request("POST", "/users/export/ids", { external_ids: [fresh()] }, {
    headers: { traceparent: "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00" },
  });
  expect(quiet.headers.get("traceresponse")).toBeNull();
});

test("a health check begins no trace", async () => {
  for (const path of ["/livez", "/readyz", "/readyz/gateway"]) {
    expect((await heddle.request("GET", path, undefined, { key: undefined })).headers.get("traceresponse"), path).toBeNull();
  }
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
  expect(links).toHaveLength(2);
  for (const secret of [...secrets, ...links, heddle.key, scimToken, "a-key-that-nobody-has"]) expect(shown).not.toContain(secret);
});
