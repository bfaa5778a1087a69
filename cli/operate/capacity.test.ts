/** heddle capacity: its two ends are what was measured, and what is full first is said. */
import { expect, test } from "vitest";
import { runCommand } from "../../test/command-line.ts";
import { readConfig } from "../../platform/config.ts";
import { readStreams } from "../../platform/mesh-config.ts";
import { capacityOf, type Load, measured } from "./capacity-model.ts";

const load: Load = {
  requests: 100,
  objects: 75,
  users: 10_000,
  workspaces: 1,
  largest: 1,
  newUsers: 0,
  rowBytes: 1_000,
  copies: 1,
  coresEach: 4,
  outageMinutes: 15,
  floorUs: measured.floorUs,
};

test("at 75 objects a request and at one the cores are those that were measured", () => {
  for (const [objects, end] of [[75, "at75"], [1, "at1"]] as const) {
    const { oneProcess, mesh, bounds } = capacityOf({ ...load, objects });
    expect(oneProcess.cores).toBeCloseTo((100 * objects * measured.oneProcess[end]) / 1e6);
    for (const [name, cost] of Object.entries(measured.mesh)) expect(mesh.cores[name], name).toBeCloseTo((100 * objects * cost[end]) / 1e6);
    const resolver = bounds.find(({ name }) => name.startsWith("resolver"));
    expect(resolver?.used).toBeCloseTo((100 * objects * measured.resolver.known[end]) / 1e6);
  }
});

test("a slower machine takes more in proportion, and copies are made by the servers that keep them", () => {
  const [once, slower, thrice] = [load, { ...load, floorUs: 2 * measured.floorUs }, { ...load, copies: 3 }].map((one) => capacityOf(one));
  expect(slower?.mesh.coresBusy).toBeCloseTo(2 * (once?.mesh.coresBusy ?? 0));
  const grown = Object.keys(measured.mesh).filter((name) => (thrice?.mesh.cores[name] ?? 0) > (once?.mesh.cores[name] ?? 0) * 1.5);
  expect(grown).toEqual(["NATS", "Cassandra"]);
});

test("one workspace at its full legal rate is bound by its resolver; ten thousand workspaces by what counts their limits", () => {
  const legal = capacityOf({ ...load, requests: 1_000, objects: 225, users: 1e8, copies: 3 });
  expect(legal.bounds[0]).toMatchObject({ name: "resolver of the largest workspace" });
  expect(legal.bounds[0]?.used).toBeGreaterThan(1);
  const many = capacityOf({ ...load, requests: 20_000, objects: 5, users: 5e7, workspaces: 10_000, largest: 0.0001, copies: 3 });
  expect(many.bounds[0]).toMatchObject({ name: "Redis" });
  expect(many.disk.buckets).toBe(10_000);
});

test.each([
  [
    "a long outage",
    ["--requests", "5000", "--objects", "20", "--users", "50000000", "--workspaces", "1000", "--outage", "720"],
    "log of an outage",
  ],
  ["many objects", ["--requests", "30000", "--objects", "75", "--users", "50000000", "--workspaces", "1000"], "partitions of the intake"],
  [
    "very many objects",
    ["--requests", "80000", "--objects", "75", "--users", "50000000", "--workspaces", "1000"],
    "lanes of the profile service",
  ],
])("of %s no setting is printed that the parts refuse; that it does not suffice is said", async (_, asked, bound) => {
  const { output } = await runCommand(["capacity", ...asked], {});
  expect(output).toContain("The mesh does not carry this: ");
  expect(output.split("does not carry this: ")[1]).toMatch(new RegExp(`${bound}.*\\d+ %`));
  const settings = Object.fromEntries([...output.matchAll(/(HEDDLE_LOG_\w+)=(\d+)/g)].map(([, key = "", value = ""]) => [key, value]));
  expect(Object.keys(settings)).toHaveLength(3);
  expect(() => readConfig({ HEDDLE_NATS_URL: "localhost:4222", ...settings }, readStreams)).not.toThrow();
});

test("the command says it in words and as JSON, and which numbers it takes", async () => {
  const asked = ["capacity", "--requests", "1000", "--objects", "225", "--users", "100000000"];
  const { code, output } = await runCommand(asked, {});
  expect(output).toContain("225,000 objects a second, 100,000,000 users in 1 workspace\n");
  expect([code, output]).toEqual([
    0,
    expect.stringContaining("The mesh does not carry this: resolver of the largest workspace is the bound"),
  ]);
  const json = await runCommand([...asked, "--json"], {});
  expect(JSON.parse(json.output)).toMatchObject({ load: { objects: 225 }, objectsPerSecond: 225_000, oneProcess: { suffices: false } });
  const refused = await runCommand(["capacity", "--requests", "10", "--objects", "226", "--users", "1"], {});
  expect([refused.code, refused.errors]).toEqual([2, expect.stringContaining("It must be a whole number from 1 to 225.")]);
});
