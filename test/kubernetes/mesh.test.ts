/** The local overlay on a real cluster, from nothing: it comes up, and stays up while parts are replaced and pods die. In order. */
import { execFile, execFileSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { resolve } from "node:path";
import { env } from "node:process";
import { beforeAll, describe, expect, test } from "vitest";
import { allReady, contextArgs, heddleKubectl, kubectl, namespace, whyNoCluster, workloads } from "./cluster.ts";
import { figure } from "./figures.ts";
import { imageBytesMax, imageSize, provideImages } from "./images.ts";
import { declareLoad, type Keys, podsOf, probesOf, underLoad } from "./load.ts";
import { makeVolumes } from "./volumes.ts";
import { exact, nameOf, replacedUnderLoad } from "./workload-load.ts";

const overlay = resolve(import.meta.dirname, "../../deploy/overlays/local");
const missing = whyNoCluster();
if (missing !== undefined) console.warn(`Not run: ${missing}`);
const recoverySecondsMax = 30;

describe.skipIf(missing !== undefined)(`Kubernetes${missing === undefined ? "" : ` (not run: ${missing})`}`, () => {
  let keys: Keys;
  beforeAll(async () => {
    provideImages();
    if (env.HEDDLE_KEEP_CLUSTER === "1") return;
    await kubectl(["delete", "namespace", namespace, "--ignore-not-found"], { timeoutMs: 180_000 });
    await makeVolumes(namespace);
  }, 1_200_000);

  test.skipIf(env.HEDDLE_KEEP_IMAGES === "1")("the image is small", () => {
    const bytes = imageSize("heddle:dev");
    figure("size of the image for Node (`docker image inspect`)", { says: `${Math.round(bytes / 1e6)} MB` });
    expect(bytes).toBeLessThan(imageBytesMax);
  });

  test("kubectl apply -k brings everything up from nothing, and the second time changes nothing", async () => {
    const started = performance.now();
    await kubectl(["apply", "-k", overlay]);
    await allReady(300);
    figure("`kubectl apply -k deploy/overlays/local` from nothing", { took: performance.now() - started });
    const before = await templates();
    const again = performance.now();
    await kubectl(["apply", "-k", overlay]);
    await allReady(60);
    expect(await templates()).toBe(before);
    figure("the same again: no Deployment or StatefulSet changes", { took: performance.now() - again });
    keys = await declareLoad();
  });

  test("everything that runs passes Pod Security restricted, as nobody, on a root that cannot be written, without a token", async () => {
    const label = "pod-security.kubernetes.io/enforce=restricted";
    const said = await warnings(["label", "--dry-run=server", "--overwrite", "namespace", namespace, label]);
    expect(said).not.toContain("violate");
    const pods = await heddleKubectl("get", "pods", "-o", "name");
    expect(pods).toContain("pod/cassandra-0");
    for (const part of await workloads("deployments")) {
      const asks = "id -u; touch /app/x 2>/dev/null && echo writable; ls /var/run/secrets 2>/dev/null; true";
      expect(await heddleKubectl("exec", part, "--", "sh", "-c", asks), part).toBe("10001\n");
    }
    figure("Pod Security *restricted* on everything that runs", { says: "no violation" });
  });

  test("each part is replaced under load: no request fails, nothing is lost or reordered", async () => {
    for (const part of await workloads("deployments")) {
      const { load, took } = await replacedUnderLoad(keys, part, () => heddleKubectl("rollout", "restart", part));
      figure(`\`kubectl rollout restart ${part}\``, { took, load });
      expect.soft(load, part).toMatchObject({ ...exact, failed: 0, failures: [] });
    }
  });

  test("a part that is away takes its own routes away, with 503 and a reason, and no connection to the API", async () => {
    const load = await underLoad(keys, probesOf(keys), async () => {
      await setTimeout(3_000);
      await heddleKubectl("scale", "deployment/scim", "--replicas=0");
      await heddleKubectl("wait", "--for=delete", "pod", "-l", "app.kubernetes.io/name=scim", "--timeout=60s");
      await setTimeout(10_000);
      await heddleKubectl("scale", "deployment/scim", "--replicas=1");
      await allReady(120);
      await setTimeout(3_000);
    });
    figure("`scim` scaled to nothing for 10 s", { load });
    expect.soft(load).toMatchObject(exact);
    expect.soft(load.failed).toBeGreaterThan(0);
    expect.soft(load.failures.filter(({ path, text }) => !path.startsWith("/scim/") || !/^503 .*unavailable|^503 .*reached/i.test(text)))
      .toEqual([]);
  });

  test("each pod dies under load: all is well again within 30 s, nothing is lost or reordered", async () => {
    for (const workload of await workloads("deployments,statefulsets")) {
      for (const pod of await podsOf(nameOf(workload))) {
        let took = 0;
        const load = await underLoad(keys, probesOf(keys), async () => {
          await setTimeout(3_000);
          const started = performance.now();
          await heddleKubectl("delete", "pod", pod, "--grace-period=0", "--force");
          await allReady(120);
          took = performance.now() - started;
          await setTimeout(5_000);
        });
        figure(`\`kubectl delete pod\` of ${nameOf(workload)}`, { took, load });
        expect.soft(load, workload).toMatchObject(exact);
        // Only a gateway that dies takes connections with it; whatever else is away is a 503 that says so
        const isGateway = nameOf(workload) === "gateway";
        expect.soft(load.failures.filter(({ text }) => !isGateway && !text.startsWith("503 ")), workload).toEqual([]);
        expect.soft(load.failingSeconds, `${workload} ${JSON.stringify(load.failures)}`).toBeLessThan(recoverySecondsMax);
      }
    }
  });

  test("deploy/demo.sh declares a workspace, and its request is answered", async () => {
    execFileSync("sh", [resolve(import.meta.dirname, "../../deploy/demo.sh")], { stdio: ["ignore", "ignore", "inherit"] });
    const create = ["keys", "create", "--workspace", "demo/demo", "--name", "trial", "--permissions", "*", "--json"];
    const { secret } = JSON.parse(await heddleKubectl("exec", "deploy/gateway", "--", "heddle", ...create)) as { secret: string };
    const script = `const headers = { authorization: "Bearer ${secret}", "content-type": "application/json" };
      // A server that runs learns of a key within a second
      while ((await fetch("http://127.0.0.1:8080/email/hard_bounces", { headers })).status === 401) await new Promise((done) => setTimeout(done, 100));
      const post = async (path, body) => (await fetch("http://127.0.0.1:8080" + path, { method: "POST", headers, body })).text();
      console.log(await post("/users/track", '{"attributes":[{"external_id":"ann","first_name":"Ann"}]}'));
      console.log(await post("/users/export/ids", '{"external_ids":["ann"]}'));`;
    const printed = await heddleKubectl("exec", "deploy/gateway", "--", "node", "--input-type=module", "-e", script);
    expect(printed).toContain('"attributes_processed":1');
    expect(printed).toContain('"first_name":"Ann"');
  });
});

async function warnings(args: readonly string[]): Promise<string> {
  return await new Promise((resolve) => execFile("kubectl", [...contextArgs(), ...args], (_error, _stdout, stderr) => resolve(stderr)));
}

/** What a change of a template would change. */
async function templates(): Promise<string> {
  return await heddleKubectl(
    "get",
    "deployments,statefulsets",
    "-o",
    'jsonpath={range .items[*]}{.metadata.name} {.metadata.generation}{"\\n"}{end}',
  );
}
