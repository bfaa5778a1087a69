/** Security policies: what may stand in one, and that nothing else gets in. */
import { assert, property, string, webUrl } from "fast-check";
import { expect, test } from "vitest";
import { plainOrigin } from "./origin.ts";
import { sandboxedPolicy, securityPolicy } from "./security-policy.ts";

test.each([
  ["https://cdn.example.com", "https://cdn.example.com"],
  ["https://CDN.example.com:8443/a/b.png?c", "https://cdn.example.com:8443"],
  ["https://user:password@cdn.example.com:443/", "https://cdn.example.com"],
  ["https://münchen.example/", "https://xn--mnchen-3ya.example"],
  ["https://a;script-src/i.png", undefined],
  ["https://a,script-src/i.png", undefined],
  ["https://a'unsafe-inline'/", undefined],
  ["https://*/", undefined],
  ["https://*.example.com/", undefined],
  ["https://[::1]/", undefined],
  ["http://cdn.example.com/", undefined],
  ["data:image/png,x", undefined],
  ["javascript:alert(1)", undefined],
  ["", undefined],
])("plainOrigin(%j) is %j", (address, origin) => {
  expect(plainOrigin(address)).toBe(origin);
});

test("whatever the address is, its origin is one harmless word or none", () => {
  assert(property(string({ unit: "binary" }), webUrl(), (noise, url) => {
    for (const address of [noise, `https://${noise}`, `https://a${noise}/`, `https://a.example:${noise}/`, `${url}${noise}`]) {
      expect(plainOrigin(address) ?? "https://a").toMatch(/^https:\/\/[a-z0-9.-]+(:\d{1,5})?$/);
    }
  }));
});

test.each([
  [["script-src", "https://a;script-src"]],
  [["img-src", "https://a script-src"]],
  [["img-src", "https://a/path"]],
  [["img-src", ""]],
  [["script-src", "*"]],
  [["script-src", "'unsafe-eval'"]],
  [["sandbox", "allow-same-origin"]],
  [["sandbox", "allow-top-navigation"]],
  [["report-uri", "https://a"]],
  [["img-src data:\r\nSet-Cookie: a"]],
])("securityPolicy() refuses %j", (directive) => {
  expect(() => securityPolicy([directive as [string, ...string[]]])).toThrow(/A security policy/);
});

test("a policy that came from elsewhere is passed on whole, gets a sandbox where it has none, and is refused where it holds more", () => {
  const policy = "default-src 'none'; img-src data: https://cdn.example.com:8443; sandbox allow-forms";
  expect(sandboxedPolicy(policy)).toBe(policy);
  expect(sandboxedPolicy("default-src 'none'")).toMatch(/^default-src 'none'; sandbox (?!.*allow-same-origin)/);
  for (
    const other of [
      "",
      `${policy} allow-same-origin`,
      `${policy}; img-src https://a;script-src`,
      `${policy}\r\nSet-Cookie: a=b`,
      "default-src 'none', sandbox",
    ]
  ) expect(() => sandboxedPolicy(other), other).toThrow(/security policy/);
});
