/** The production overlay as test/kubernetes/production.test.ts applies it: changed where an operator who copies it changes it. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { environmentOf, manifestsOf, renderFolder, repository } from "./manifests.ts";
import { readPart } from "./settings.ts";
import { describeWithTools } from "./with-tools.ts";

await describeWithTools(["kustomize"], "test/kubernetes/production", () => {
  test("nothing of the example is left, every part starts with its settings, and no autoscaler asks for more than a machine has", async () => {
    const text = await renderFolder(join(repository, "test/kubernetes/production"));
    expect(text).not.toMatch(/192\.0\.2\.|\bexample\.com/);
    const manifests = manifestsOf(text);
    expect(manifests.ofKind("HorizontalPodAutoscaler")).toEqual([]);
    expect(new Set(manifests.ofKind("Deployment", "Job", "CronJob").map(({ metadata }) => metadata["namespace"]))).toEqual(
      new Set(["heddle-production"]),
    );
    for (const { owner, spec } of manifests.pods) {
      const environment = environmentOf(manifests, spec.containers[0] ?? { name: "", image: "" });
      await readPart(owner.metadata.name, environment);
    }
  });
});
