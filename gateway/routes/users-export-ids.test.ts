/** /users/export/ids: every identifier in, users and unknown ids out. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "vitest";
import { type ExportUsersRequest, ExportUsersResponseSchema } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { startStubGateway, type StubGateway } from "../../test/gateway-stub.ts";

let started: StubGateway | undefined;
afterEach(async () => {
  await started?.gateway.close();
  started = undefined;
});

async function start(
  response: MessageInitShape<typeof ExportUsersResponseSchema> = {},
): Promise<StubGateway & { calls: ExportUsersRequest[] }> {
  const calls: ExportUsersRequest[] = [];
  const exportUsers = async (request: unknown) => {
    calls.push(request as ExportUsersRequest);
    return create(ExportUsersResponseSchema, response);
  };
  started = await startStubGateway({ profile: { exportUsers } });
  return { ...started, calls };
}

const platformId = "5EEA769D45BB2E1467418F92";

test.each([
  [{ external_ids: ["a", 12345] }, [["externalId", "a"], ["externalId", "12345"]]],
  [{ user_aliases: [{ alias_name: "n", alias_label: "l" }] }, [["alias", { name: "n", label: "l" }]]],
  [{ braze_id: platformId }, [["platformId", platformId.toLowerCase()]]],
  [{ platform_id: [platformId] }, [["platformId", platformId.toLowerCase()]]],
  [{ email_address: " Ann@Example.COM " }, [["email", "ann@example.com"]]],
  [{ phone: "2125550123" }, [["phone", "+12125550123"]]],
  [{ external_ids: ["a"], phone: "+12125550123", api_key: "ignored", partner: 1 }, [["externalId", "a"], ["phone", "+12125550123"]]],
])("handleUsersExportIds() asks for %j", async (body, keys) => {
  const { post, calls } = await start();
  expect((await post("/users/export/ids", body)).status).toBe(201);
  expect(calls[0]?.users.map(({ key }) => [key.case, key.case === "alias" ? { name: key.value.name, label: key.value.label } : key.value]))
    .toEqual(keys);
  expect(calls[0]?.currencyRates).toEqual({ EUR: "1.08" });
});

test("handleUsersExportIds() answers users as the service wrote them, and ids that nobody has as they were sent", async () => {
  const alias = { alias_name: "n", alias_label: "l" };
  const { post } = await start({ usersJson: [Buffer.from('{"external_id":"b"}')], unknown: [0, 2] });
  const { body, headers } = await post("/users/export/ids", { external_ids: [7, "b"], user_aliases: [alias] });
  expect(body).toEqual({ users: [{ external_id: "b" }], invalid_user_ids: ["7", alias], message: "success" });
  expect(headers.get("x-heddle-read")).toBeNull();
});

test("handleUsersExportIds() has no invalid_user_ids where all were found, and says when it is behind", async () => {
  const { post } = await start({ usersJson: [], behind: true });
  const { body, headers } = await post("/users/export/ids", { external_ids: ["a"] });
  expect([body, headers.get("x-heddle-read")]).toEqual([{ users: [], message: "success" }, "behind"]);
});

test("handleUsersExportIds() finds nobody by an id that cannot be one, and asks for a device behind all others", async () => {
  const { post, calls } = await start({ usersJson: [], unknown: [1] });
  const { body } = await post("/users/export/ids", { device_id: "d", external_ids: ["a\u0000", "x".repeat(988), "b"] });
  expect(body["invalid_user_ids"]).toEqual(["a\u0000", "x".repeat(988), "d"]);
  expect(calls.map(({ users, deviceId }) => [users.map(({ key }) => key.value), deviceId])).toEqual([[["b"], "d"]]);
  const long = "d".repeat(256);
  expect((await post("/users/export/ids", { device_id: long })).body["invalid_user_ids"]).toEqual([long]);
});

test("handleUsersExportIds() hands on which fields to export", async () => {
  const { post, calls } = await start();
  await post("/users/export/ids", { external_ids: ["a"], fields_to_export: ["email", "custom_events"] });
  await post("/users/export/ids", { external_ids: ["a"] });
  expect(calls.map(({ fields }) => fields)).toEqual([["email", "custom_events"], []]);
});

const tooMany = "The max number of external_ids and aliases per request was exceeded";
const aliases = Array.from({ length: 51 }, (_, at) => ({ alias_name: `n${at}`, alias_label: "l" }));
test.each([
  [{}, "One of 'external_ids', 'user_aliases', 'braze_id', 'device_id', 'email_address' or 'phone' is required"],
  [{ external_ids: [] }, "One of 'external_ids', 'user_aliases', 'braze_id', 'device_id', 'email_address' or 'phone' is required"],
  [{ external_ids: "a" }, "'external_ids' must be an array"],
  [{ external_ids: [{}] }, "'external_ids' must be a string"],
  [{ external_ids: ["a", null] }, "'external_ids' holds an empty id at 1"],
  [{ braze_id: [platformId, ""] }, "'braze_id' holds an empty id at 1"],
  [{ external_ids: [1.5] }, "'external_ids' must be a string"],
  [{ external_ids: aliases.map(({ alias_name }) => alias_name) }, tooMany],
  [{ user_aliases: aliases }, tooMany],
  [{ user_aliases: ["a"] }, "'user_aliases' must be an object with 'alias_name' and 'alias_label'"],
  [{ user_aliases: [{ alias_name: "n" }] }, "'alias_label' is required"],
  [{ email_address: "nobody" }, "The value provided for the 'email_address' field is not a valid email."],
  [{ phone: "12" }, "The value provided for the 'phone' field is not a valid phone number: send a string in E.164, such as '+12015550123'"],
  [{ email_address: "a@example.com", phone: "+12125550123" }, "Only one of 'device_id', 'email_address' and 'phone' may be sent"],
  [{ braze_id: "short" }, "'braze_id' must be 24 hexadecimal digits"],
  [{ external_ids: ["a"], fields_to_export: "email" }, "'fields_to_export' must be an array of at most 100 names of fields"],
  [{ external_ids: ["a"], fields_to_export: [1] }, "'fields_to_export' must be an array of at most 100 names of fields"],
  [[], "The request body must be a JSON object"],
  ["null", "The request body must be a JSON object"],
])("handleUsersExportIds() refuses %j", async (body, message) => {
  const { post, calls } = await start();
  const answer = await post("/users/export/ids", body);
  expect([answer.status, answer.body["message"]]).toEqual([400, message]);
  expect(calls).toEqual([]);
});

test("handleUsersExportIds() names the entry that refuses the request", async () => {
  const { post } = await start();
  const { body } = await post("/users/export/ids", { external_ids: ["a", "", true] });
  expect(body["errors"]).toEqual([{ type: "'external_ids' must be a string", input_array: "external_ids", index: 2 }]);
});

test("handleUsersExportIds() refuses bad JSON with message and error", async () => {
  const { post } = await start();
  const { status, body } = await post("/users/export/ids", '{"external_ids":');
  const text = "Error while parsing request body. Please check your syntax.";
  expect([status, body["message"], body["error"]]).toEqual([400, text, text]);
});
