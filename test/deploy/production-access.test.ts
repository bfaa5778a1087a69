/** The production overlay: each server and each RPC port with TLS and authentication, as the parts' own readers take their settings. */
import { beforeAll, describe, expect, test } from "vitest";
import { readReaches } from "../../cli/operate/mesh-reaches.ts";
import { judgeReach } from "../../cli/operate/judge-security.ts";
import { readConfig } from "../../platform/config.ts";
import { type Container, environmentOf, type Loose, type Manifests, manifestsOf, type Pod, renderText } from "./manifests.ts";
import { accessOf, openAccess } from "./access.ts";
import { mounted, partNames, readPart, withFiles } from "./settings.ts";
import { describeWithTools } from "./with-tools.ts";

/** What those speak to that have not all of `serversOfPart`, or more. */
const servers = new Map([
  ["gateway", ["Cassandra", "NATS", "RPC", "Redis"]],
  ["content", ["Cassandra", "RPC"]],
  ["migrate", ["Cassandra"]],
]);
const serversOfPart = ["Cassandra", "NATS", "RPC"];

await describeWithTools(["kustomize"], "access in deploy/overlays/production", () => {
  let manifests: Manifests;
  beforeAll(async () => {
    manifests = manifestsOf(await renderText("production"));
  });

  describe.each([...partNames, "migrate", "operator", "backup"])("%s", (name) => {
    test("reaches servers, and is reached, with TLS and authentication alone", async () => {
      const access = accessOf(await readPart(name, environmentOfPart(name)));
      expect([...new Set(access.map(({ server }) => server))].sort()).toEqual(servers.get(name) ?? serversOfPart);
      expect(openAccess(access)).toEqual([]);
    });

    test("finds each file that its settings name: in a Secret that must be there, and that it may read", () => {
      const { spec } = podOf(name);
      const [container] = spec.containers as [Container];
      const files = Object.values(environmentOf(manifests, container)).filter((value) => value.startsWith(mounted));
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) {
        const mount = container["volumeMounts"].find(({ mountPath }: Loose) => file.startsWith(`${mountPath}/`));
        expect(mount, file).toMatchObject({ readOnly: true });
        const { secret } = spec.volumes.find((volume: Loose) => volume.name === mount.name);
        expect(secret.optional ?? false).toBe(false);
        // Files of Secrets are root's and the group's that the pod names
        const isReadable = spec.securityContext.fsGroup === undefined ? forAll : forAll | forGroup;
        expect(secret.defaultMode & isReadable, file).not.toBe(0);
      }
    });
  });

  test("the doctor finds TLS and authentication for all of it", () => {
    const reaches = readConfig(withFiles(environmentOfPart("gateway")), (reader) => ({ all: readReaches(reader) })).all;
    expect(reaches.map(judgeReach)).toEqual(
      ["NATS", "Cassandra", "Redis", "RPC"].map((server) => ({ check: `${server} access`, level: "ok", text: "TLS and authentication" })),
    );
  });

  describe.each([
    ["HEDDLE_NATS_TLS_CA", undefined, "NATS: no TLS"],
    ["HEDDLE_NATS_USER", undefined, "NATS: no authentication"],
    ["HEDDLE_NATS_PASSWORD", undefined, "NATS: no authentication"],
    ["HEDDLE_CASSANDRA_TLS_CA", undefined, "Cassandra: no TLS"],
    ["HEDDLE_CASSANDRA_USER", undefined, "Cassandra: no authentication"],
    ["HEDDLE_CASSANDRA_PASSWORD", undefined, "Cassandra: no authentication"],
    ["HEDDLE_REDIS_URL", "redis://user:password@redis.example:6380", "Redis: no TLS"],
    ["HEDDLE_REDIS_URL", "rediss://redis.example:6380", "Redis: no authentication"],
    ["HEDDLE_PROFILE_URL", "dns+http://profile:9101", "RPC: no TLS"],
    ["HEDDLE_RPC_REFLECTION", "true", "RPC: tells its contract"],
  ])("with %s of %s", (setting, value, fault) => {
    test(`the rule says "${fault}"`, async () => {
      const part = setting.includes("REDIS") ? "gateway" : "subscription";
      const changed = { ...environmentOfPart(part), [setting]: value ?? "" };
      expect(openAccess(accessOf(await readPart(part, changed)))).toContain(fault);
    });
  });

  test.each(["CA", "CERT", "KEY"])("a part without HEDDLE_RPC_TLS_%s does not start", async (end) => {
    await expect(readPart("profile", { ...environmentOfPart("profile"), [`HEDDLE_RPC_TLS_${end}`]: "" })).rejects.toThrow("HEDDLE_RPC_TLS");
  });

  test("nobody said that RPCs may go in the clear", () => {
    expect(manifests.pods.map((pod) => environmentOf(manifests, (pod.spec.containers as [Container])[0])["HEDDLE_RPC_INSECURE"])).toEqual(
      manifests.pods.map(() => undefined),
    );
  });

  function podOf(name: string): Pod {
    const pod = manifests.pods.find(({ owner }) => owner.metadata.name === name);
    if (!pod) throw new Error(`Expected a pod of "${name}"`);
    return pod;
  }

  function environmentOfPart(name: string): Record<string, string> {
    return environmentOf(manifests, (podOf(name).spec.containers as [Container])[0]);
  }
});

const forAll = 0o004;
const forGroup = 0o040;
