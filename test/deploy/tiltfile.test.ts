/** What the Tiltfile would have Tilt do, against the rendered overlay, the Dockerfile and the commands of the project. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Loose, type Manifests, manifestsOf, renderText, repository } from "./manifests.ts";
import { runTiltfile, type TiltCall } from "./tiltfile.ts";
import { describeWithTools } from "./with-tools.ts";

const withPods = ["Deployment", "StatefulSet", "Job"];

await describeWithTools(["kustomize", "starlark"], "Tiltfile", () => {
  let calls: readonly TiltCall[];
  let manifests: Manifests;
  beforeAll(async () => {
    calls = await runTiltfile("up");
    manifests = manifestsOf(await renderText("local"));
  });

  function of(...names: string[]): Readonly<Record<string, Loose>>[] {
    return calls.filter((call) => names.includes(call.function)).map((call) => call.arguments);
  }

  test("every workload of the local overlay is a resource, and every other object belongs to one", () => {
    const workloads = manifests.ofKind(...withPods).map(({ metadata }) => metadata.name);
    expect(of("k8s_resource").map(({ workload }) => workload).filter(Boolean).sort()).toEqual(workloads.sort());
    const others = manifests.all.filter(({ kind }) => ![...withPods, "Service"].includes(kind));
    expect(of("k8s_resource").flatMap(({ objects }) => objects).sort()).toEqual(
      others.map(({ metadata, kind }) => `${metadata.name}:${kind.toLowerCase()}`).sort(),
    );
  });

  test("resources wait for what they need, in the order a person thinks", () => {
    const resources = of("k8s_resource", "local_resource");
    const steps = resources.map(({ labels }) => labels[0] as string);
    expect(steps).toEqual([...steps].sort());
    resources.forEach(({ name, deps }, at) => {
      const earlier = resources.slice(0, at).map((one) => one.name);
      expect(deps.filter((dep: string) => !earlier.includes(dep)), name).toEqual([]);
    });
    const stepOf = new Map(resources.map(({ name, labels }) => [name, labels[0]]));
    expect(["cassandra", "migrate", "profile", "gateway", "demo-data", "black-box"].map((name) => stepOf.get(name))).toEqual([
      "1-infrastructure",
      "2-migrations",
      "3-services",
      "4-gateway",
      "5-demo-data",
      "6-tests",
    ]);
  });

  test("every port is forwarded once, to a port that the container has", () => {
    const forwards = of("k8s_resource").flatMap(({ workload, ports }) => ports.map((port: Loose) => ({ workload, ...port })));
    expect(new Set(forwards.map(({ local }) => local)).size).toBe(forwards.length);
    for (const { workload, container } of forwards) {
      const pod = manifests.pods.find(({ owner }) => owner.metadata.name === workload);
      expect(pod?.spec.containers[0].ports.map((port: Loose) => port.containerPort), workload).toContain(container);
    }
    expect(forwards.find(({ workload, path }) => workload === "gateway" && path === "/docs")).toMatchObject({
      local: 8080,
      container: 8080,
    });
  });

  test("a changed file of every part's code goes to where the image has it", () => {
    const [build] = of("docker_build");
    const dockerfile = readFileSync(join(repository, build?.["dockerfile"]), "utf8");
    expect(dockerfile).toContain(`AS ${build?.["target"]}\n`);
    const synced = build?.["live_update"].filter(({ step }: Loose) => step === "sync");
    for (const { local, remote } of synced) {
      const folder = local.replace("./", "");
      expect(existsSync(join(repository, folder)), folder).toBe(true);
      expect(dockerfile).toContain(`COPY ${folder} ${folder}\n`);
      expect(remote).toBe(`/app/${folder}`);
      expect(build?.["only"]).toContain(folder);
    }
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, from = ""]) => from.split(" "))
      .map((path) => path.replace(/\/[^/]*\*.*$/, ""));
    expect(copied.filter((path) => !build?.["only"].some((one: string) => path === one || path.startsWith(`${one}/`)))).toEqual([]);
    const [first] = build?.["live_update"] ?? [];
    expect(first.step).toBe("fall_back_on");
    expect(first.files.filter((file: string) => !existsSync(join(repository, file)))).toEqual([]);
  });

  test("no stage is called as the image: Tilt takes `FROM` that name for the image itself, and ends", () => {
    const [build] = of("docker_build");
    const stages = [...readFileSync(join(repository, build?.["dockerfile"]), "utf8").matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) =>
      name
    );
    expect(stages).toContain(build?.["target"]);
    expect(stages).not.toContain(build?.["ref"]);
  });

  test("what Tilt applies is the overlay, but for files that can be changed and a Job that stays", () => {
    const [{ objects = [] } = {}] = of("k8s_yaml");
    const expected = structuredClone(manifests.all) as Loose[];
    for (const { kind, spec } of expected) {
      if (kind === "Deployment") spec.template.spec.containers[0].securityContext.readOnlyRootFilesystem = false;
      if (kind === "Job") delete spec.ttlSecondsAfterFinished;
    }
    expect(objects).toEqual(expected);
  });

  test("a changed file of code migrates nothing: that waits for a changed table", () => {
    const [migrate] = of("k8s_resource").filter(({ name }) => name === "migrate");
    expect(migrate).toMatchObject({ trigger_mode: "manual" });
    const [changed] = of("local_resource").filter(({ name }) => name === "tables-changed");
    expect(changed).toMatchObject({ cmd: "tilt trigger migrate", auto_init: false, trigger_mode: "auto" });
    const schemas = globSync("{gateway,services}/**/schema", { cwd: repository });
    expect([...((changed?.["files"] ?? []) as string[])].sort()).toEqual(schemas.sort());
  });

  test("its commands exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { scripts: Record<string, string> };
    const commands = of("local_resource").map(({ cmd }) => cmd as string);
    expect(commands.flatMap((cmd) => /^npm run (\S+)/.exec(cmd)?.[1] ?? []).filter((script) => !(script in scripts))).toEqual([]);
    expect(commands.flatMap((cmd) => /(?:^sh |< )(\S+)/.exec(cmd)?.[1] ?? []).filter((file) => !existsSync(join(repository, file))))
      .toEqual([]);
  });

  test("tilt ci runs the black-box suite and has a time; tilt up leaves it to a button", async () => {
    expect(of("ci_settings")).toEqual([{ timeout: expect.stringMatching(/^\d+m$/), readiness_timeout: expect.stringMatching(/^\d+m$/) }]);
    const [suite] = of("local_resource").filter(({ name }) => name === "black-box");
    expect(suite).toMatchObject({ auto_init: false, trigger_mode: "manual" });
    const inCi = (await runTiltfile("ci")).filter((call) => call.arguments["auto_init"] === true).map((call) => call.arguments["name"]);
    expect(inCi).toEqual(["demo-data", "black-box"]);
  });

  test("builds use the network that is named", async () => {
    const [build] = (await runTiltfile("up", { "build-network": "host" })).filter((call) => call.function === "docker_build");
    expect([of("docker_build")[0]?.["network"], build?.arguments["network"]]).toEqual(["", "host"]);
  });

  test("a registry is used where one is named, and none else", async () => {
    expect(of("default_registry")).toEqual([]);
    const named = await runTiltfile("up", { registry: "localhost:5000" });
    expect(named.filter((call) => call.function === "default_registry").map((call) => call.arguments)).toEqual([{
      host: "localhost:5000",
    }]);
  });
});
