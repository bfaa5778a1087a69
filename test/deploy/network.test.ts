/** The network policies against the edges of the mesh: each part itself names who may call it, and each caller may reach it. */
import { beforeAll, expect, test } from "vitest";
import { accessOf } from "./access.ts";
import { environmentOf, type Loose, type Manifests, manifestsOf, overlays, renderText } from "./manifests.ts";
import { partNames, readPart } from "./settings.ts";
import { describeWithTools } from "./with-tools.ts";

for (const overlay of overlays) {
  await describeWithTools(["kustomize"], `network of deploy/overlays/${overlay}`, () => {
    let manifests: Manifests;
    beforeAll(async () => {
      manifests = manifestsOf(await renderText(overlay));
    });

    test("everything is denied that is not drawn", () => {
      const { spec } = manifests.named("NetworkPolicy", "default-deny");
      expect(spec).toEqual({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
      for (const { spec, metadata } of manifests.ofKind("NetworkPolicy").filter(({ metadata }) => metadata.name !== "default-deny")) {
        for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) expect(rule.ports, metadata.name).not.toEqual([]);
        for (const rule of spec.egress ?? []) expect(rule.to, metadata.name).toBeDefined();
      }
    });

    test("the callers of each part are those that it takes", async () => {
      for (const part of partNames.filter((name) => name !== "gateway")) {
        const rpc = await rpcOf(manifests, part);
        const callers = rpc.callers.filter((caller) => partNames.includes(caller));
        expect(callersIn(manifests, part).filter((caller) => partNames.includes(caller)).sort(), part).toEqual(callers.sort());
        for (const caller of callers) expect(portsOut(manifests, caller, part), `${caller} to ${part}`).toEqual([rpc.port]);
      }
    });

    test("no part may call one that does not take its calls", async () => {
      for (const caller of partNames) {
        for (const part of partNames.filter((name) => name !== "gateway")) {
          const may = (await rpcOf(manifests, part)).callers.includes(caller);
          if (!may) expect(portsOut(manifests, caller, part), `${caller} to ${part}`).toEqual([]);
        }
      }
    });

    test.runIf(overlay === "production")(
      "whoever operates calls every part, each of which takes its calls, and nobody calls them",
      async () => {
        for (const part of partNames.filter((name) => name !== "gateway")) {
          const rpc = await rpcOf(manifests, part);
          expect(rpc.callers).toContain("operator");
          expect(callersIn(manifests, part)).toContain("operator");
          expect(portsOut(manifests, "operator", part), part).toEqual([rpc.port]);
        }
        const policies = manifests.ofKind("NetworkPolicy").filter(({ spec }) => namesOf(spec.podSelector).includes("operator"));
        expect(policies.filter(({ spec }) => spec.policyTypes.includes("Ingress"))).toEqual([]);
        expect(namesOf(manifests.named("NetworkPolicy", "parts-call-servers").spec.podSelector)).toContain("operator");
      },
    );

    test("a part reaches NATS if it connects to NATS, and no other one does", async () => {
      for (const part of partNames) {
        const [container] = manifests.named("Deployment", part).spec.template.spec.containers;
        const all = accessOf(await readPart(part, environmentOf(manifests, container)));
        const policies = manifests.ofKind("NetworkPolicy").filter(({ spec }) => namesOf(spec.podSelector).includes(part));
        const ports = policies.flatMap(({ spec }) => (spec.egress ?? []).flatMap((rule: Loose) => rule.ports ?? []));
        expect(ports.some(({ port }: Loose) => port === 4222), part).toBe(all.some(({ server }) => server === "NATS"));
      }
    });

    test("every policy speaks of pods that there are", () => {
      const names = new Set(manifests.pods.map(({ labels }) => labels[nameLabel]));
      const spoken = manifests.ofKind("NetworkPolicy").flatMap(({ spec }) =>
        [spec.podSelector, ...peers(spec.ingress, "from"), ...peers(spec.egress, "to")].flatMap(namesOf)
      );
      expect(spoken.filter((name) => !names.has(name))).toEqual([]);
    });
  });
}

const nameLabel = "app.kubernetes.io/name";

async function rpcOf(manifests: Manifests, part: string): Promise<{ callers: string[]; port: number }> {
  const [container] = manifests.named("Deployment", part).spec.template.spec.containers;
  const { rpc } = await readPart(part, environmentOf(manifests, container));
  if (!rpc) throw new Error(`"${part}" serves no RPC`);
  return { callers: [...rpc.callers], port: rpc.port };
}

function callersIn(manifests: Manifests, part: string): string[] {
  const policies = manifests.ofKind("NetworkPolicy").filter(({ spec }) => namesOf(spec.podSelector).includes(part));
  return policies.flatMap(({ spec }) =>
    (spec.ingress ?? []).filter((rule: Loose) => rule.ports?.some(({ port }: Loose) => port === "rpc"))
      .flatMap((rule: Loose) => rule.from.flatMap((peer: Loose) => namesOf(peer.podSelector)))
  );
}

function portsOut(manifests: Manifests, caller: string, part: string): number[] {
  const policies = manifests.ofKind("NetworkPolicy").filter(({ spec }) => namesOf(spec.podSelector).includes(caller));
  return policies.flatMap(({ spec }) =>
    (spec.egress ?? []).filter((rule: Loose) => rule.to.some((peer: Loose) => namesOf(peer.podSelector).includes(part)))
      .flatMap((rule: Loose) => rule.ports.map(({ port }: Loose) => port as number))
  );
}

function peers(rules: Loose, side: "from" | "to"): Loose[] {
  return (rules ?? []).flatMap((rule: Loose) => (rule[side] ?? []).map((peer: Loose) => peer.podSelector));
}

/** The names that a selector means; none for one that means all. */
function namesOf(selector: Loose): string[] {
  const exact = selector?.matchLabels?.[nameLabel];
  const several = (selector?.matchExpressions ?? []).filter((one: Loose) => one.key === nameLabel && one.operator === "In");
  return [...(exact === undefined ? [] : [exact as string]), ...several.flatMap((one: Loose) => one.values as string[])];
}
