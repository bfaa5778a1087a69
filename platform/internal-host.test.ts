/** Who may ask a port that is not for the public: no name that the public DNS could give out. */
import { expect, test } from "vitest";
import { isInternalHost, isLoopback } from "./internal-host.ts";

test.each([
  undefined,
  "",
  "127.0.0.1:9101",
  "10.2.3.4",
  "[::1]:9101",
  "[fd00::7]",
  "localhost:9464",
  "profile:9101",
  "profile.heddle.svc:9101",
  "profile.heddle.svc.cluster.local",
  "Metrics.Internal:9464",
  "heddle.example.com:9100",
])("taken: %s", (host) => expect(isInternalHost(host, ["heddle.example.com"])).toBe(true));

test.each([
  "evil.example:9101",
  "127.0.0.1.evil.example",
  "heddle.example.com.evil.example",
  "localhost.evil.example:9464",
  "evil.example.",
  "a b",
  "[zz]",
  "evil.example@127.0.0.1",
  "127.0.0.1, evil.example",
])("refused: %s", (host) => expect(isInternalHost(host, ["heddle.example.com"])).toBe(false));

test("loopback is this machine alone", () => {
  for (const host of ["127.0.0.1", "127.8.9.1", "::1", "localhost"]) expect(isLoopback(host), host).toBe(true);
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.evil.example", "", "profile"]) expect(isLoopback(host), host).toBe(false);
});
