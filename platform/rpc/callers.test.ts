/** Callers: by method before by service, none by default, and names of a certificate only. */
import { expect, test } from "vitest";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { certificateNames, checkCaller, namesOf } from "./callers.ts";

const service = "heddle.profile.v1.ProfileService";
const rules = new Map([
  [service, ["gateway", "spiffe://heddle/content"]],
  [`${service}/ListUsers`, ["export"]],
  [`${service}/ReportSession`, ["*"]],
  [`${service}/DeleteUsers`, []],
]);

for (
  const [method, names, allowed] of [
    ["trackUsers", ["gateway"], true],
    ["trackUsers", ["other", "gateway"], true],
    ["trackUsers", ["spiffe://heddle/content"], true],
    ["trackUsers", ["content"], false],
    ["trackUsers", ["Gateway"], false],
    ["trackUsers", ["*"], false],
    ["trackUsers", [], false],
    ["listUsers", ["export"], true],
    ["listUsers", ["gateway"], false],
    ["reportSession", [], true],
    ["deleteUsers", ["gateway"], false],
  ] as const
) {
  test(`checkCaller() ${allowed ? "lets" : "refuses"} ${JSON.stringify(names)} ${allowed ? "use" : "the use of"} ${method}`, () => {
    const check = () => checkCaller(rules, ProfileService.method[method], names);
    if (allowed) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ reason: "CALLER_NOT_ALLOWED" }));
  });
}

test("checkCaller() allows nothing without rules", () => {
  expect(() => checkCaller(new Map(), ProfileService.method.trackUsers, ["gateway"])).toThrow(/^Expected a caller/);
});

for (
  const [text, names] of [
    ["DNS:gateway, IP Address:127.0.0.1, URI:spiffe://heddle/gateway", ["gateway", "spiffe://heddle/gateway"]],
    ["", []],
    ['DNS:"evil\\u002c DNS:gateway"', []],
    ["email:gateway@x, othername:gateway", []],
    ["DNS:gateway\u0000.evil", []],
    ["DNS:*.heddle", []],
  ] as const
) {
  test(`namesOf() ${JSON.stringify(text)} are ${JSON.stringify(names)}`, () => expect(namesOf(text)).toEqual(names));
}

test("certificateNames() of a certificate that was not verified are none", () => {
  const certificate = { subjectaltname: "DNS:gateway" };
  const socket = { getPeerCertificate: () => certificate } as never as { getPeerCertificate(): never };
  expect(certificateNames({ ...socket, authorized: true })).toEqual(["gateway"]);
  expect(certificateNames({ ...socket, authorized: false })).toEqual([]);
});
