/** Every overlay against the schemas of Kubernetes, kube-score, and the rules of this project. */
import { execFile } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { meshSemiSpaceMib } from "../../cli/run/v8-heap.ts";
import { type Container, environmentOf, type Manifests, manifestsOf, namesPutIn, overlays, type Pod, renderText } from "./manifests.ts";
import { kubernetesVersions, provisionTool, schemaLocations } from "./provision.ts";
import { certificates, partNames, readPart } from "./settings.ts";
import { describeWithTools } from "./with-tools.ts";

/** Deliberately different: tags are never moved, and a limit of CPU makes answers late while the machine has time to give. */
const scoreOptions = ["--ignore-container-cpu-limit", "--ignore-test", "container-image-pull-policy"];
const nobody = /^\d{5,}$/;

for (const overlay of overlays) {
  await describeWithTools(["kustomize", "kubeconform", "kube-score", "schemas"], `deploy/overlays/${overlay}`, () => {
    let text: string;
    let manifests: Manifests;
    beforeAll(async () => {
      text = await renderText(overlay);
      manifests = manifestsOf(text);
    });

    test.each(kubernetesVersions)("fits the schemas of Kubernetes %s", async (version) => {
      const said = await piped("kubeconform", ["-strict", "-summary", ...await schemaLocations(version), "-"], text);
      expect(said).toMatch(/Invalid: 0, Errors: 0, Skipped: 0/);
    });

    test("has no critical finding of kube-score", async () => {
      const said = await piped("kube-score", ["score", "--output-format", "ci", ...scoreOptions, "-"], text);
      expect(said).toContain("[OK]");
      expect(said.split("\n").filter((line) => line.startsWith("[CRITICAL]"))).toEqual([]);
    });

    test("runs every part of the mesh and nothing else", () => {
      expect(manifests.ofKind("Deployment").map(({ metadata }) => metadata.name).sort()).toEqual([...partNames].sort());
      for (const { metadata, spec } of manifests.ofKind("Deployment")) {
        expect(containersOf({ spec: spec.template.spec } as Pod)[0]?.args).toEqual(["serve", metadata.name]);
      }
    });

    test("every setting is read by somebody, and every part starts with its settings", async () => {
      const asked = new Set<string>();
      for (const pod of heddlePods(manifests)) {
        const [container] = pod.spec.containers as [Container];
        const settings = await readPart(pod.owner.metadata.name, environmentOf(manifests, container));
        for (const name of namesPutIn(container)) asked.add(name);
        for (const name of settings.asked) asked.add(name);
      }
      const given = heddlePods(manifests).flatMap((pod) => Object.keys(environmentOf(manifests, pod.spec.containers[0])));
      expect([...new Set(given)].filter((name) => !asked.has(name))).toEqual([]);
    });

    test("every port matches: what a part listens on, its container, its probes, its Service, and who calls it", async () => {
      for (const pod of heddlePods(manifests).filter(({ owner }) => owner.kind === "Deployment")) {
        const [container] = pod.spec.containers as [Container];
        const { rpc, gateway, metricsPort } = await readPart(pod.owner.metadata.name, environmentOf(manifests, container));
        const own = { name: rpc ? "rpc" : "http", containerPort: rpc?.port ?? gateway?.port };
        const expected = [own, ...(metricsPort === undefined ? [] : [{ name: "metrics", containerPort: metricsPort }])];
        expect(container.ports, pod.owner.metadata.name).toEqual(expected);
        const service = manifests.named("Service", pod.owner.metadata.name);
        expect(service.spec.ports.map(({ port, targetPort }: Port) => [targetPort, port])).toContainEqual([own.name, own.containerPort]);
        expect(service.spec.selector).toEqual({ "app.kubernetes.io/name": pod.owner.metadata.name });
        for (const probe of [container["startupProbe"], container["readinessProbe"], container["livenessProbe"]]) {
          const port = probe.grpc?.port ?? probe.httpGet?.port ?? probe.tcpSocket?.port;
          expect(expected.flatMap(({ name, containerPort }) => [name, containerPort])).toContain(port);
        }
      }
      for (
        const [name, url] of Object.entries(settingsOf(manifests)).filter(([name]) =>
          /^HEDDLE_(?!NATS|REDIS|PUBLIC|PAGES)\w+_URL$/.test(name)
        )
      ) {
        const { hostname, port } = new URL(url.replace("dns+", ""));
        expect(manifests.named("Service", hostname).spec.ports.map((one: Port) => String(one.port)), name).toContain(port);
      }
    });

    test("every image has a version that does not move", () => {
      for (const { image, name } of manifests.pods.flatMap(containersOf)) {
        expect(image, name).toMatch(/:(?!latest$)[\w.-]+$|@sha256:[0-9a-f]{64}$/);
        if (overlay === "production") expect(image).not.toMatch(/:dev$/);
      }
    });

    test("every pod passes Pod Security restricted, runs as nobody, without a token and without the names of services", () => {
      const namespace = manifests.named("Namespace", "heddle");
      expect(namespace.metadata.labels).toMatchObject({ "pod-security.kubernetes.io/enforce": "restricted" });
      for (const pod of manifests.pods) {
        const { spec, owner } = pod;
        expect(spec, owner.metadata.name).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
        expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
        expect(String(spec.securityContext.runAsUser)).toMatch(nobody);
        expect([spec.hostNetwork, spec.hostPID, spec.hostIPC].some(Boolean)).toBe(false);
        expect((spec.volumes ?? []).filter((volume: object) => "hostPath" in volume)).toEqual([]);
        for (const container of containersOf(pod)) {
          expect(container["securityContext"], container.name).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          });
          expect((container.ports ?? []).filter((port) => "hostPort" in port)).toEqual([]);
        }
      }
    });

    test("each part has a ServiceAccount of its own", () => {
      const accounts = heddlePods(manifests).map(({ spec }) => spec.serviceAccountName);
      expect(new Set(accounts).size).toBe(accounts.length);
      for (const account of accounts) {
        expect(manifests.named("ServiceAccount", account)).toMatchObject({ automountServiceAccountToken: false });
      }
    });

    test("nothing secret stands in a ConfigMap", () => {
      const names = manifests.ofKind("ConfigMap").flatMap(({ data }) => Object.entries(data));
      expect(names.filter(([name, value]) => /PASSWORD|TOKEN|SECRET/.test(name) || /:\/\/[^/@\s]+@/.test(value))).toEqual([]);
    });

    test("certificates are read where they are mounted, and asked for over TLS; no probe needs one then", () => {
      const settings = settingsOf(manifests);
      const secured = settings["HEDDLE_RPC_TLS_CERT"] !== undefined;
      expect(secured).toBe(overlay === "production");
      const urls = Object.entries(settings).filter(([name]) => /^HEDDLE_(?!NATS|REDIS|PUBLIC|PAGES)\w+_URL$/.test(name)).map(([, url]) =>
        url
      );
      expect(urls.filter((url) => url.startsWith("dns+https:") !== secured)).toEqual([]);
      for (const { owner, spec } of manifests.pods.filter(({ owner }) => owner.kind === "Deployment")) {
        const [container] = spec.containers as [Container];
        const mounted = container["volumeMounts"].filter(({ mountPath }: { mountPath: string }) => mountPath === certificates);
        expect(mounted).toHaveLength(secured ? 1 : 0);
        if (!secured) continue;
        const volume = spec.volumes.find(({ name }: { name: string }) => name === mounted[0].name);
        expect(volume.secret.secretName).toBe(`${owner.metadata.name}-tls`);
        expect([container["startupProbe"].grpc, container["readinessProbe"].grpc, container["livenessProbe"].grpc].some(Boolean)).toBe(
          false,
        );
      }
    });

    test("the drain has time: leaving and the longest drain are shorter than the grace period", async () => {
      const { limits } = await import("../../platform/limits.ts");
      for (const { spec, owner } of heddlePods(manifests).filter(({ owner }) => owner.kind === "Deployment")) {
        const [container] = spec.containers as [Container];
        const isGateway = owner.metadata.name === "gateway";
        // A gateway must hear that it leaves, so that its answers say so
        if (isGateway) expect(container["lifecycle"]).toBeUndefined();
        const seconds = isGateway
          ? environmentOf(manifests, container)["HEDDLE_LEAVE_SECONDS"]
          : container["lifecycle"].preStop.sleep.seconds;
        const leaving = Number(seconds);
        expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(leaving + limits.stopMsMax / 1_000);
        // A caller asks for names each second, and answers may be 5 s old at the name server
        expect(leaving).toBeGreaterThan(5 + limits.rpcLookupMs / 1_000);
      }
    });

    test("no pod is restarted because a server is away: starting and living are asked of the port that answers before any server is there", () => {
      for (const { metadata, spec } of manifests.ofKind("Deployment")) {
        const [container] = spec.template.spec.containers as [Container];
        for (const probe of ["startupProbe", "livenessProbe"]) {
          expect(container[probe].httpGet, `${metadata.name} ${probe}`).toEqual({ path: "/livez", port: "metrics" });
          expect(container[probe].tcpSocket ?? container[probe].grpc, `${metadata.name} ${probe}`).toBeUndefined();
        }
      }
    });

    test("a gateway is ready by itself: what stands behind it is not asked", () => {
      const [container] = manifests.named("Deployment", "gateway").spec.template.spec.containers as [Container];
      expect(container["readinessProbe"].httpGet.path).toBe("/readyz/gateway");
    });

    test.runIf(overlay === "production")(
      "backups are on a volume, one at a time, which the operator has too, on the same node, and a restore unpacks there",
      () => {
        for (const name of ["operator", "backup"]) {
          const { spec } = manifests.named("CronJob", name);
          const { metadata, spec: pod } = spec.jobTemplate.spec.template;
          const { volumes, containers: [container], terminationGracePeriodSeconds = 30 } = pod;
          expect([spec.concurrencyPolicy, spec.suspend ?? false]).toEqual(["Forbid", name === "operator"]);
          expect(volumes).toContainEqual({ name: "backups", persistentVolumeClaim: { claimName: "backups" } });
          expect(container.volumeMounts).toContainEqual({ name: "backups", mountPath: "/backups" });
          expect(terminationGracePeriodSeconds).toBeLessThanOrEqual(30);
          // One node at a time has the volume. The first of these pods is let in as it has the label itself
          expect(pod.affinity).toEqual({
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { "app.kubernetes.io/name": "operator" } } },
              ],
            },
          });
          expect(metadata.labels).toMatchObject({ "app.kubernetes.io/name": "operator" });
        }
        const [operator] = manifests.named("CronJob", "operator").spec.jobTemplate.spec.template.spec.containers as [Container];
        expect(operator.env).toContainEqual({ name: "TMPDIR", value: "/backups" });
        const [backup] = manifests.named("CronJob", "backup").spec.jobTemplate.spec.template.spec.containers as [Container];
        expect(backup.args?.slice(0, 3)).toEqual(["backup", "/backups/", "--pause-writes"]);
        expect(manifests.named("PersistentVolumeClaim", "backups").spec.accessModes).toEqual(["ReadWriteOnce"]);
      },
    );

    test("the migration's Job can be applied again: fixed names of settings, and it goes away", () => {
      const { spec } = manifests.named("Job", "migrate");
      expect(spec.ttlSecondsAfterFinished).toBeLessThanOrEqual(300);
      expect(spec.template.spec.containers[0].envFrom.map((from: { configMapRef?: { name: string } }) => from.configMapRef?.name))
        .toContain(
          "migrate-settings",
        );
    });

    test("memory: beside old objects, to which V8 gives half of the limit, and young ones there is room for the rest", () => {
      for (const { spec, owner } of manifests.pods.filter(({ owner }) => owner.kind === "Deployment")) {
        const [{ command, resources }] = spec.containers as [Container];
        // The image's own, which says how much young objects have
        expect(command, owner.metadata.name).toBeUndefined();
        expect(mibOf(resources.limits.memory) / 2 - 3 * meshSemiSpaceMib, owner.metadata.name).toBeGreaterThanOrEqual(restMib);
        expect(mibOf(resources.requests.memory)).toBeLessThanOrEqual(mibOf(resources.limits.memory));
      }
    });

    test("each part can lose a node: a budget, a spread, and replicas said in one place", () => {
      const scaled = manifests.ofKind("HorizontalPodAutoscaler").map(({ spec }) => spec.scaleTargetRef.name as string);
      if (overlay === "production") expect(scaled.sort()).toEqual([...partNames].sort());
      for (const { metadata, spec } of manifests.ofKind("Deployment")) {
        const budget = manifests.named("PodDisruptionBudget", metadata.name);
        expect(budget.spec.selector).toEqual(spec.selector);
        const spread = spec.template.spec.topologySpreadConstraints as readonly Spread[];
        expect(spread.map(({ topologyKey }) => topologyKey)).toEqual(["kubernetes.io/hostname", "topology.kubernetes.io/zone"]);
        for (const constraint of spread) {
          expect(constraint.labelSelector).toEqual(spec.selector);
          // In a rollout, old pods that are about to go must not decide where the new ones land
          expect(constraint.matchLabelKeys).toEqual(["pod-template-hash"]);
        }
        expect(spec.replicas === undefined).toBe(scaled.includes(metadata.name));
        expect(spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
      }
    });
  });
}

/** For code, buffers and the rest: a part at rest has 140 MB in all, a small heap among them. */
const restMib = 200;

function mibOf(quantity: string): number {
  const [, number] = /^(\d+)Mi$/.exec(quantity) ?? [];
  return Number(number);
}

interface Spread {
  readonly topologyKey: string;
  readonly labelSelector: object;
  readonly matchLabelKeys: readonly string[];
}

interface Port {
  readonly name: string;
  readonly port: number;
  readonly targetPort: string;
}

function heddlePods(manifests: Manifests): Pod[] {
  return manifests.pods.filter(({ owner }) => owner.kind !== "StatefulSet");
}

function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

function settingsOf(manifests: Manifests): Readonly<Record<string, string>> {
  return manifests.ofKind("ConfigMap").find(({ metadata }) => metadata.name.startsWith("settings-"))?.data ?? {};
}

async function piped(tool: "kubeconform" | "kube-score", args: readonly string[], input: string): Promise<string> {
  const program = await provisionTool(tool);
  return await new Promise((resolve) => {
    const child = execFile(program, [...args], { maxBuffer: 16 * 1024 * 1024 }, (_error, stdout, stderr) => resolve(stdout + stderr));
    child.stdin?.end(input);
  });
}
