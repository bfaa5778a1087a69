/** What an overlay renders to, as plain objects, and ways to look things up in it. */
import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { provisionTool } from "./provision.ts";

export const repository = resolve(import.meta.dirname, "../..");
export const overlays = ["local", "production"] as const;
const run = promisify(execFile);

/** The text that `kubectl apply -k` would send. */
export async function renderText(overlay: string): Promise<string> {
  return await renderFolder(join(repository, "deploy/overlays", overlay));
}

/** Of any folder with a kustomization. */
export async function renderFolder(folder: string): Promise<string> {
  const { stdout } = await run(await provisionTool("kustomize"), ["build", folder], { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

export function manifestsOf(text: string): Manifests {
  const all = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  function ofKind(...kinds: string[]): Manifest[] {
    return all.filter(({ kind }) => kinds.includes(kind));
  }
  return {
    all,
    ofKind,
    pods: ofKind("Deployment", "StatefulSet", "Job", "CronJob").map((owner) => {
      const { metadata, spec } = (owner.kind === "CronJob" ? owner.spec.jobTemplate : owner).spec.template;
      return { owner, labels: metadata.labels, spec };
    }),
    named(kind, name) {
      const found = all.find((one) => one.kind === kind && one.metadata.name === name);
      if (!found) throw new Error(`Expected a ${kind} called "${name}"`);
      return found;
    },
  };
}

/** The environment of a container: ConfigMaps, literals, and for each key of a Secret a text that stands for what is there. */
export function environmentOf(manifests: Manifests, container: Container): Record<string, string> {
  const environment: Record<string, string> = Object.assign(
    {},
    ...(container.envFrom ?? []).flatMap(({ configMapRef }) => configMapRef ? [manifests.named("ConfigMap", configMapRef.name).data] : []),
  );
  const before: Record<string, string> = {};
  for (const { name, value = "", valueFrom } of container.env ?? []) {
    // As Kubernetes does: what stands further down, or nowhere, is left as it is
    const filled = value.replaceAll(putIn, (reference, other: string) => before[other] ?? reference);
    before[name] = valueFrom ? standIn(valueFrom.secretKeyRef) : filled;
  }
  return { ...environment, ...before };
}

/** What a part could not start without: a pod whose Secret lacks the key is not started. */
function standIn({ name, key, optional = false }: SecretKey): string {
  return optional ? "" : `${name}.${key}`;
}

const putIn = /\$\(([\w.-]+)\)/g;

/** Names that are in the environment for others to hold them. */
export function namesPutIn(container: Container): readonly string[] {
  return (container.env ?? []).flatMap(({ value = "" }) => [...value.matchAll(putIn)].map(([, name = ""]) => name));
}

/** Rendered YAML has no type of its own here: the schemas of Kubernetes were checked before. */
// oxlint-disable-next-line typescript/no-explicit-any -- see above
export type Loose = any;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: Loose;
  readonly data: Readonly<Record<string, string>>;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly envFrom?: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string; readonly optional?: boolean };
  }[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: { readonly secretKeyRef: SecretKey } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly [field: string]: Loose;
}

interface SecretKey {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface Pod {
  readonly owner: Manifest;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Loose & { readonly containers: readonly Container[]; readonly initContainers?: readonly Container[] };
}

export interface Manifests {
  readonly all: readonly Manifest[];
  readonly pods: readonly Pod[];
  ofKind(...kinds: string[]): Manifest[];
  named(kind: string, name: string): Manifest;
}
