/** Each rule of the dependency rule catches a violation planted for it, and a clean tree is clean. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkDependencies, dependencyRules } from "../tools/dependency-rule.ts";
import { folderBreaches } from "../tools/folder-rule.ts";

const cleanTree: Readonly<Record<string, readonly string[]>> = {
  "proto/gen/profile_pb.ts": [],
  "platform/refusal.ts": [],
  "platform/config.ts": ["./refusal.ts"],
  "platform/sqlite/database.ts": ["../config.ts"],
  "gateway/server.ts": ["../platform/refusal.ts", "../proto/gen/profile_pb.ts"],
  "gateway/wire.ts": ["./server.ts"],
  "services/profile/domain/profile.ts": ["../../../platform/refusal.ts"],
  "services/profile/domain/row-keys.ts": [],
  "services/profile/store/sqlite.ts": ["type ../domain/profile.ts", "../domain/row-keys.ts", "../../../platform/sqlite/database.ts"],
  "services/profile/store/store-contract.ts": ["./sqlite.ts", "vitest"],
  "services/profile/store/sqlite.test.ts": ["./store-contract.ts"],
  "services/profile/rpc/routes.ts": ["../domain/profile.ts", "../../../proto/gen/profile_pb.ts"],
  "services/profile/wire.ts": ["./store/sqlite.ts", "./rpc/routes.ts"],
  "services/scim/domain/account.ts": [],
  "services/scim/wire.ts": ["./domain/account.ts"],
  "services/scim/main.ts": ["./wire.ts"],
  "cli/run/embedded.ts": ["../../services/profile/wire.ts"],
  "cli/main.ts": ["./run/embedded.ts", "../gateway/wire.ts"],
  "client/errors.ts": [],
  "client/client.ts": ["./errors.ts"],
  "test/heddle.ts": ["../cli/main.ts", "../client/client.ts"],
};

const planted: readonly (readonly [rule: string, file: string, imports: string])[] = [
  ["services-talk-by-contract", "services/profile/rpc/routes.ts", "../../scim/domain/account.ts"],
  ["services-know-no-gateway", "services/profile/domain/profile.ts", "../../../gateway/server.ts"],
  ["gateway-knows-contracts-only", "gateway/server.ts", "../services/profile/domain/profile.ts"],
  ["gateway-knows-contracts-only", "gateway/server.ts", "../services/profile/wire.ts"],
  ["platform-stands-alone", "platform/config.ts", "../services/scim/domain/account.ts"],
  ["nobody-imports-the-command-line", "gateway/server.ts", "../cli/main.ts"],
  ["command-line-sees-wires-only", "cli/main.ts", "../services/scim/domain/account.ts"],
  ["domain-is-pure", "services/profile/domain/profile.ts", "../../../proto/gen/profile_pb.ts"],
  ["client-stands-alone", "client/client.ts", "../platform/refusal.ts"],
  ["domain-is-pure", "services/profile/domain/profile.ts", "node:fs"],
  ["domain-is-pure", "services/profile/domain/profile.ts", "pino"],
  ["domain-is-pure", "services/profile/domain/profile.ts", "../../../platform/config.ts"],
  ["store-takes-types-only", "services/profile/store/sqlite.ts", "../domain/profile.ts"],
  ["store-knows-no-wire", "services/profile/store/sqlite.ts", "type ../../../proto/gen/profile_pb.ts"],
  ["store-knows-no-wire", "services/profile/store/sqlite.ts", "../rpc/routes.ts"],
  ["store-knows-no-wire", "services/profile/store/sqlite.ts", "nats"],
  ["wire-knows-no-store", "services/profile/rpc/routes.ts", "../store/sqlite.ts"],
  ["wire-knows-no-store", "services/profile/rpc/routes.ts", "../../../platform/sqlite/database.ts"],
  ["only-main-sees-wire", "services/profile/rpc/routes.ts", "../wire.ts"],
  ["only-main-sees-wire", "services/profile/store/sqlite.ts", "../wire.ts"],
  ["loads-when-needed", "services/profile/wire.ts", "cassandra-driver"],
  ["loads-when-needed", "services/profile/wire.ts", "parse5"],
  ["engines-know-no-shape", "services/profile/domain/profile.ts", "../../../platform/sqlite/database.ts"],
  ["engines-know-no-shape", "services/profile/apply/apply-batch.ts", "../../../platform/log/jetstream-read.ts"],
  ["engines-know-no-shape", "services/profile/lanes/lanes.ts", "nats"],
  ["engines-know-no-shape", "services/profile/intake/intake.ts", "node:sqlite"],
  ["engines-know-no-shape", "services/profile/reader/reader.ts", "type cassandra-driver"],
  ["engines-know-no-shape", "services/profile/resolve/resolve.ts", "../mesh-readers.ts"],
  ["engines-know-no-shape", "services/consent/engine/plan-step.ts", "../store/dead-letter-cassandra.ts"],
  ["no-test-in-production", "services/profile/wire.ts", "./store/store-contract.ts"],
  ["no-test-in-production", "gateway/wire.ts", "../test/heddle.ts"],
  ["no-cycle", "services/profile/domain/profile.ts", "./ring.ts"],
  ["no-cycle", "services/profile/domain/profile.ts", "type ./ring.ts"],
  ["no-folder-cycle", "services/profile/domain/lists.ts", "../rpc/routes.ts"],
  ["no-folder-cycle", "services/profile/domain/lists.ts", "type ../rpc/routes.ts"],
  ["no-folder-cycle", "services/profile/domain/lists.ts", "type ../config.ts"],
  ["no-folder-cycle", "platform/later.ts", "./sqlite/database.ts"],
  ["no-folder-cycle", "platform/sqlite/pages/pages.ts", "../../log/tail.ts"],
];

/** Files that are in no circle until one more file imports them. */
const leadsRound: Readonly<Record<string, readonly string[]>> = {
  "services/profile/config.ts": ["./rpc/routes.ts", "./domain/profile.ts"],
  "platform/log/tail.ts": ["../lane/resolver-checkpoint.ts"],
  "platform/lane/resolver-checkpoint.ts": ["../sqlite/database.ts"],
};

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "heddle-rule-"));
  for (const [file, imports] of Object.entries(cleanTree)) write(file, imports);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("checkDependencies() finds nothing in a clean tree", () => {
  expect(checkDependencies(root, [])).toEqual([]);
});

for (const [rule, file, imports] of planted) {
  test(`checkDependencies() reports ${rule} when ${file} imports ${imports}`, () => {
    if (rule === "no-cycle") write("services/profile/domain/ring.ts", ["./profile.ts"]);
    if (rule === "no-folder-cycle") { for (const [round, leads] of Object.entries(leadsRound)) write(round, leads); }
    write(file, [...(cleanTree[file] ?? []), imports]);
    expect(checkDependencies(root, []).filter((line) => line.includes(`: ${rule}: `))).not.toEqual([]);
  });
}

test("checkDependencies() lets tests and fixtures import from any folder", () => {
  write("services/profile/domain/lists.test.ts", ["../rpc/routes.ts"]);
  write("services/profile/domain/lists.fixture.ts", ["../rpc/routes.ts"]);
  write("services/profile/domain/profile.test.ts", ["./lists.fixture.ts"]);
  expect(checkDependencies(root, [])).toEqual([]);
});

test("folderBreaches() passes over what is excepted, and reports an exception that is not needed", () => {
  const round = { from: "a/b/one.ts", to: "a/c/two.ts", typeOnly: false, isLazy: false };
  const back = { from: "a/c/three.ts", to: "a/b/four.ts", typeOnly: true, isLazy: false };
  const excepted = [{ in: "a", from: "c", to: "b", because: "a test" }];
  expect(folderBreaches([round, back], excepted)).toEqual([]);
  expect(folderBreaches([round, back], [])).toEqual([expect.stringContaining("a: no-folder-cycle: b -> c -> b: ")]);
  expect(folderBreaches([back], excepted)).toEqual([expect.stringContaining("not needed any more")]);
  expect(folderBreaches([round], excepted)).toEqual([expect.stringContaining("not needed any more")]);
});

test("checkDependencies() lets one process come to what it seldom needs by types, or later", () => {
  write("services/profile/wire.ts", ["type cassandra-driver", "./store/sqlite.ts", "./rpc/routes.ts"]);
  appendFileSync(join(root, "cli/run/embedded.ts"), 'await import("nats");\n');
  expect(checkDependencies(root, [])).toEqual([]);
});

test("checkDependencies() reports no-dead-file for a file that nothing imports", () => {
  write("platform/orphan.ts", []);
  expect(checkDependencies(root, [])).toEqual([expect.stringContaining("platform/orphan.ts: no-dead-file: ")]);
});

test("checkDependencies() sees imports over many lines, re-exports and import()", () => {
  for (
    const text of [
      'import {\n  a,\n  b,\n} from "node:fs";\n',
      'export { a } from "node:fs";\n',
      'export * from "node:fs";\n',
      'import "node:fs";\n',
      'import * as fs from "node:fs";\n',
      'export async function a() {\n  return await import("node:fs");\n}\n',
    ]
  ) {
    writeFileSync(join(root, "services/profile/domain/profile.ts"), text);
    expect(checkDependencies(root, [])).toEqual([expect.stringContaining(": domain-is-pure: ")]);
  }
});

test("checkDependencies() every rule has a planted violation here", () => {
  expect(dependencyRules.map((rule) => rule.name).filter((name) => !planted.some(([rule]) => rule === name))).toEqual([]);
});

function write(file: string, imports: readonly string[]): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  const lines = imports.map((each) =>
    each.startsWith("type ") ? `import type { A } from "${each.slice(5)}";` : `import { a } from "${each}";`
  );
  writeFileSync(join(root, file), `${lines.join("\n")}\n`);
}
