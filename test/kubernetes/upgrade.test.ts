/** An upgrade in the order that docs/kubernetes.md gives, and back again, under load: the image before and the image now side by side. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { env } from "node:process";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { allReady, heddleKubectl, kubectl, namespace, whyNoCluster } from "./cluster.ts";
import { figure } from "./figures.ts";
import { docker, loadImages } from "./images.ts";
import { declareLoad, type Keys, probesOf, underLoad } from "./load.ts";

const repository = resolve(import.meta.dirname, "../..");
const previous = env.HEDDLE_PREVIOUS ?? "HEAD~1";
const missing = whyNoCluster();
if (missing !== undefined) console.warn(`Not run: ${missing}`);

/** Those that are called before those that call; the gateway is the last. */
const order = ["messaging-status", "subscription", "profile", "scim", "content", "gateway"];

describe.skipIf(missing !== undefined)(`Upgrade from ${previous}${missing === undefined ? "" : ` (not run: ${missing})`}`, () => {
  let keys: Keys;
  beforeAll(async () => {
    if (env.HEDDLE_KEEP_IMAGES !== "1") buildPrevious();
    await kubectl(["apply", "-k", join(repository, "deploy/overlays/local")]);
    await allAt("heddle:previous");
    keys = await declareLoad();
  }, 900_000);

  test("each part is upgraded in turn under load, and taken back in the opposite order: no request fails, nothing is lost", async () => {
    const started = performance.now();
    const load = await underLoad(keys, probesOf(keys), async () => {
      await migrateWith("heddle:dev");
      await rollTo("heddle:dev", order);
      await setTimeout(5_000);
      await rollTo("heddle:previous", order.toReversed());
      await setTimeout(5_000);
    });
    const commit = execFileSync("git", ["rev-parse", "--short", previous], { cwd: repository, encoding: "utf8" }).trim();
    figure(`\`HEDDLE_PREVIOUS=${commit}\`, an upgrade and back, 12 rollouts`, { took: performance.now() - started, load });
    await allAt("heddle:dev");
    expect(load).toMatchObject({ failed: 0, failures: [], lost: 0, reordered: 0, repeated: 0 });
  });
});

/** All parts at once: nothing is measured then. */
async function allAt(image: string): Promise<void> {
  for (const part of order) await heddleKubectl("set", "image", `deployment/${part}`, `heddle=${image}`);
  await allReady(300);
}

/** One part after the other. */
async function rollTo(image: string, parts: readonly string[]): Promise<void> {
  for (const part of parts) {
    await heddleKubectl("set", "image", `deployment/${part}`, `heddle=${image}`);
    await heddleKubectl("rollout", "status", `deployment/${part}`, "--timeout=300s");
  }
}

/** As `kubectl apply -k` does it where the Job of the last time is gone. */
async function migrateWith(image: string): Promise<void> {
  await heddleKubectl("delete", "job", "migrate", "--ignore-not-found");
  const rendered = await kubectl(["kustomize", join(repository, "deploy/overlays/local")]);
  const job = rendered.split(/^---$/m).find((text) => /^kind: Job$/m.test(text)) ?? "";
  await kubectl(["apply", "-f", "-"], { input: job.replace(/image: heddle:\S+/, `image: ${image}`) });
  await kubectl(["-n", namespace, "wait", "--for=condition=complete", "job/migrate", "--timeout=300s"], { timeoutMs: 310_000 });
}

/** The image of a commit, from its own Dockerfile. */
function buildPrevious(): void {
  const folder = mkdtempSync(join(tmpdir(), "heddle-previous-"));
  try {
    const archive = execFileSync("git", ["archive", previous], { cwd: repository, maxBuffer: 512 * 1024 * 1024 });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    docker(["build", "--quiet", "--network=host", "-f", join(folder, "deploy/images/Dockerfile"), "-t", "heddle:previous", folder]);
    loadImages(["heddle:previous"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
