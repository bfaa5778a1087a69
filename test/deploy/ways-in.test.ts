/** The production overlay as it is completed: clients that come in by a Gateway or an Ingress, whose word of addresses counts, and a collector for spans. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { meshParts } from "../../cli/target/mesh-parts.ts";
import { addressRange } from "../../gateway/access/address-range.ts";
import { readConfig } from "../../platform/config.ts";
import { readGatewayConfig } from "../../gateway/config.ts";
import { readTelemetryConfig } from "../../platform/telemetry/config.ts";
import { type Container, environmentOf, type Manifests, manifestsOf, renderFolder, repository } from "./manifests.ts";
import { kubernetesVersions, provisionTool, schemaLocations } from "./provision.ts";
import { withFiles } from "./settings.ts";
import { describeWithTools } from "./with-tools.ts";

const ways = [["gateway-api", "HTTPRoute", "gateways"], ["ingress", "Ingress", "ingress"]] as const;

await describeWithTools(["kustomize", "kubeconform", "schemas"], "deploy/components", () => {
  describe.each(ways)("%s", (way, kind, namespace) => {
    let text: string;
    let manifests: Manifests;
    beforeAll(async () => {
      text = await renderFolder(join(repository, "test/deploy/ways-in", way));
      manifests = manifestsOf(text);
    });

    test.each(kubernetesVersions)("fits the schemas of Kubernetes %s", async (version) => {
      const program = await provisionTool("kubeconform");
      // Schemas of the Gateway API come with no release
      const args = ["-strict", "-summary", "-skip", "HTTPRoute", ...await schemaLocations(version), "-"];
      const said = await new Promise<string>((resolve) => {
        const child = execFile(program, args, { maxBuffer: 16 * 1024 * 1024 }, (_error, stdout, stderr) => resolve(stdout + stderr));
        child.stdin?.end(text);
      });
      expect(said).toMatch(/Invalid: 0, Errors: 0/);
    });

    test("leads to the gateways' port for clients, at the address that links begin with", () => {
      const { spec } = manifests.named(kind, "heddle");
      const [{ name, port }, ...others] = spec.rules.flatMap((rule: Rule) =>
        rule.backendRefs ?? rule.http.paths.map(({ backend }) => backend.service)
      );
      for (const other of others) expect(other).toEqual({ name, port });
      const service = manifests.named("Service", name);
      const [http] = service.spec.ports;
      expect([http.port, http.name]).toContain(port.name ?? port);
      expect([http.name, service.metadata.name]).toEqual(["http", "gateway"]);
      const [host] = spec.hostnames ?? spec.rules.map((rule: { host: string }) => rule.host);
      expect(gatewaySettings()["HEDDLE_PUBLIC_URL"]).toBe(`https://${host}`);
    });

    test("nobody else reaches gateways, and its word of a client's address is believed", () => {
      const { spec } = manifests.named("NetworkPolicy", "clients-to-gateway");
      const labels = { "kubernetes.io/metadata.name": namespace };
      expect(spec.ingress).toEqual([
        { from: [{ namespaceSelector: { matchLabels: labels } }], ports: [{ port: "http", protocol: "TCP" }] },
      ]);
      const { trustedProxies } = readConfig(withFiles(gatewaySettings()), readGatewayConfig);
      expect(trustedProxies).toHaveLength(1);
      expect(trustedProxies.map(addressRange)).not.toContain(undefined);
    });

    test("each part may reach the collector that it sends spans to", () => {
      const { spec } = manifests.named("NetworkPolicy", "parts-call-collector");
      expect(spec.podSelector.matchExpressions[0].values.toSorted()).toEqual(["gateway", ...meshParts.keys()].toSorted());
      const { traces } = readConfig(withFiles(gatewaySettings()), readTelemetryConfig);
      const { hostname, port } = new URL(traces?.url ?? "");
      expect(spec.egress).toEqual([{
        to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": hostname.split(".")[1] } } }],
        ports: [{ port: Number(port), protocol: "TCP" }],
      }]);
    });

    test.runIf(kind === "HTTPRoute")("lets the live view of the console stay open, and any other request take a minute", () => {
      const { spec } = manifests.named(kind, "heddle");
      expect(spec.rules.map(({ matches = [], timeouts }: Rule) => [matches.map(({ path }) => path), timeouts])).toEqual([
        // 0: none
        [[{ type: "PathPrefix", value: "/console/live" }], { request: "0s" }],
        [[], { request: "60s" }],
      ]);
    });

    function gatewaySettings(): Record<string, string> {
      const [container] = manifests.named("Deployment", "gateway").spec.template.spec.containers as [Container];
      return environmentOf(manifests, container);
    }
  });
});

interface Rule {
  readonly matches?: readonly { readonly path: object }[];
  readonly timeouts?: object;
  readonly backendRefs?: readonly object[];
  readonly http: { readonly paths: readonly { readonly backend: { readonly service: object } }[] };
}
