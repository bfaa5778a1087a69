/** Argo CD and Flux: the component that makes the migration repeatable, and the files of docs/kubernetes.md against their schemas. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { type Manifests, manifestsOf, overlays, renderFolder, renderText, repository } from "./manifests.ts";
import { kubernetesVersions, provisionTool, schemaLocations } from "./provision.ts";
import { describeWithTools } from "./with-tools.ts";

const run = promisify(execFile);
const page = readFileSync(join(repository, "docs/kubernetes.md"), "utf8");
const [overlay = "", argo = "", flux = ""] = [...page.slice(page.indexOf("## With Argo CD or Flux")).matchAll(/```yaml\n([^]*?)```/g)]
  .map(([, block = ""]) => block);
const published = "https://git.example.com/heddle/heddle//";

await describeWithTools(["kustomize", "kubeconform", "schemas"], "deploy/components/gitops", () => {
  let made: Manifests;
  let text: string;
  beforeAll(async () => {
    text = await renderPublished();
    made = manifestsOf(text);
  });

  test("the overlay of the page renders what the production overlay does, but for the migration and the order", async () => {
    const plain = manifestsOf(await renderText("production"));
    expect(made.all.map(nameOf)).toEqual(plain.all.map(nameOf));
    for (const one of plain.all) {
      const other = made.named(one.kind, one.metadata.name);
      if (one.kind === "Job") expect({ ...other.spec, ttlSecondsAfterFinished: one.spec.ttlSecondsAfterFinished }).toEqual(one.spec);
      else expect(other.spec).toEqual(one.spec);
    }
  });

  test("every Job is made anew by both, and stays to be seen", () => {
    expect(made.ofKind("Job").map(({ metadata }) => metadata.name)).toContain("migrate");
    for (const { metadata, spec } of made.ofKind("Job")) {
      expect(annotationsOf(metadata), metadata.name).toMatchObject({
        "argocd.argoproj.io/hook": "Sync",
        "argocd.argoproj.io/hook-delete-policy": "BeforeHookCreation",
        "kustomize.toolkit.fluxcd.io/force": "enabled",
      });
      expect(spec).not.toHaveProperty("ttlSecondsAfterFinished");
    }
  });

  test("Argo CD rolls parts out after the migration, and all that the migration needs before", () => {
    for (const { metadata } of made.ofKind("Deployment")) {
      expect(annotationsOf(metadata)["argocd.argoproj.io/sync-wave"], metadata.name).toBe("1");
    }
    const others = made.all.filter(({ kind }) => kind !== "Deployment");
    expect(others.filter(({ metadata }) => "argocd.argoproj.io/sync-wave" in annotationsOf(metadata))).toEqual([]);
  });

  test.each(kubernetesVersions)("what is rendered and the files of the page fit the schemas (Kubernetes %s)", async (version) => {
    expect(argo).toContain("kind: Application");
    expect(flux).toMatch(/kind: GitRepository[^]*kind: Kustomization/);
    const folder = mkdtempSync(join(tmpdir(), "heddle-gitops-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const files = [["rendered", text], ["argo", argo], ["flux", flux]].map(([name, content = ""]) => {
      writeFileSync(join(folder, `${name}.yaml`), content);
      return join(folder, `${name}.yaml`);
    });
    const { stdout } = await run(await provisionTool("kubeconform"), ["-strict", "-summary", ...await schemaLocations(version), ...files]);
    expect(stdout).toMatch(/Invalid: 0, Errors: 0, Skipped: 0/);
  });
});

test("the page names overlays and components that there are", () => {
  const named = [...overlay.matchAll(/heddle\/\/(\S+)\?ref/g)].map(([, path]) => path);
  expect(named).toEqual(["deploy/overlays/production", "deploy/components/gitops"]);
  expect(overlays).toContain("production");
});

/** The page's overlay with this repository in the place of the published one. */
async function renderPublished(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-overlay-"));
  try {
    cpSync(join(repository, "deploy"), join(folder, "deploy"), { recursive: true });
    mkdirSync(join(folder, "overlays/mine"), { recursive: true });
    writeFileSync(join(folder, "overlays/mine/kustomization.yaml"), overlay.replaceAll(published, "../../").replaceAll(/\?ref=\S+/g, ""));
    return await renderFolder(join(folder, "overlays/mine"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function nameOf({ kind, metadata }: { readonly kind: string; readonly metadata: { readonly name: string } }): string {
  return `${kind} ${metadata.name}`;
}

function annotationsOf(metadata: object): Readonly<Record<string, string>> {
  return (metadata as { annotations?: Record<string, string> }).annotations ?? {};
}
