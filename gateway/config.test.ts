/** The gateway's settings: defaults, values, problems. */
import { expect, test } from "vitest";
import { ConfigError, readConfig } from "../platform/config.ts";
import { readGatewayConfig } from "./config.ts";

test("readGatewayConfig() has a default for every key", () => {
  expect(readConfig({}, readGatewayConfig)).toEqual({
    host: "127.0.0.1",
    port: 8080,
    trustedProxies: [],
    hosts: [],
    publicUrl: "",
    pagesUrl: "",
    leaveMs: 0,
  });
});

test("readGatewayConfig() reads every key", () => {
  const record = {
    HEDDLE_PUBLIC_URL: "https://Data.example.com/heddle/",
    HEDDLE_PAGES_URL: "https://mail.example.com/",
    HEDDLE_HTTP_HOST: "::",
    HEDDLE_HTTP_PORT: "0",
    HEDDLE_TRUSTED_PROXIES: "10.0.0.0/8, ::1",
    HEDDLE_HTTP_HOSTS: "data.example.com:8443",
    HEDDLE_LEAVE_SECONDS: "10",
  };
  expect(readConfig(record, readGatewayConfig)).toEqual({
    host: "::",
    port: 0,
    hosts: ["data.example.com:8443"],
    trustedProxies: ["10.0.0.0/8", "::1"],
    publicUrl: "https://data.example.com/heddle",
    pagesUrl: "https://mail.example.com",
    leaveMs: 10_000,
  });
});

test("readGatewayConfig() refuses a proxy that is no address", () => {
  for (const proxies of ["300.1.1.1", "10.0.0.0/8, 10.0.0.0/33", "proxy.example.com"]) {
    expect(() => readConfig({ HEDDLE_TRUSTED_PROXIES: proxies }, readGatewayConfig)).toThrow(
      "HEDDLE_TRUSTED_PROXIES: expected IP addresses and CIDR ranges between commas",
    );
  }
});

test("readGatewayConfig() refuses a port that is none", () => {
  for (const port of ["65536", "-1", "http"]) expect(() => readConfig({ HEDDLE_HTTP_PORT: port }, readGatewayConfig)).toThrow(ConfigError);
});
