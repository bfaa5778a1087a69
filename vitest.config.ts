/** Which tests run where: unit tests beside their files, black-box tests against a real server process, and the long ones. */
import { matchesGlob } from "node:path";
import { env } from "node:process";
import { defineConfig } from "vitest/config";
import { alias } from "./test/kubernetes/black-box/alias.ts";
import { ownMesh } from "./test/kubernetes/black-box/left.ts";

/** What runs on the mesh too: grows with the parts that it has. */
export const meshFiles = [
  "users-",
  "preference-",
  "properties",
  "idempotency",
  "read-your-writes",
  "keys",
  "log-",
  "events-",
  "export-",
  "import-",
  "bad-",
  "browsers",
  "smuggling",
  "mesh-",
  "sender-reports",
  "rpc-tenants",
  "hostile-",
  "fuzz-openapi",
  "openapi",
  "client",
  "sent-twice",
  "limits",
  "scim-access",
  "scim-changes",
  "scim-lists",
  "scim-patches",
  "scim-users",
  "consent-other",
  "email-",
  "sms-",
  "subscription-",
  "unsubscribe",
  "seeing",
  "console",
  "translations",
];
/** What runs with some parts on another runtime. */
const mixedFiles = [
  "users-track.",
  "users-merge.",
  "users-identify",
  "read-your-writes",
  "idempotency",
  "subscription-status-set",
  "smuggling",
];
/** HEDDLE_TEST_LONG=1: these alone, which take minutes each as they make tables anew or start several meshes; without it, the others. */
const longFiles = ["mesh-epochs", "mesh-move"];
const isLong = env.HEDDLE_TEST_LONG === "1";
const shortOf = isLong ? longFiles : meshFiles;
const meshNames = env.HEDDLE_TEST_DENO_PARTS === undefined ? shortOf : mixedFiles;
const httpFiles = env.HEDDLE_TEST_SHAPE === "mesh" ? `test/http/{${meshNames.join()}}*.test.ts` : "test/http/!(mesh-*).test.ts";
/** HEDDLE_TEST_SHARED=1: files that need no mesh of their own share one, as each takes 8 s of CPU to start. */
const ownFiles = ownMesh.map((name) => `test/http/${name}.test.ts`);
const isShared = env.HEDDLE_TEST_SHARED === "1";
const httpInclude = isShared ? ownFiles.filter((file) => matchesGlob(file, httpFiles)) : [httpFiles];
const httpExclude = isLong ? [] : longFiles.map((name) => `test/http/${name}.test.ts`);
/** Pages that are shown by a process of their own look the same on the mesh; the console asks all parts of it. */
const browserFiles = env.HEDDLE_TEST_SHAPE === "mesh" ? "test/browser/console*.test.ts" : "test/browser/*.test.ts";
const patient = { testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    pool: "forks",
    // One more than the cores of CI: tests wait for processes and for disks a quarter of the time, but those whose mesh takes both cores by itself
    maxWorkers: env.HEDDLE_TEST_SHAPE === "mesh" ? 2 : 3,
    // A second, vitest's own, is too short for a condition on a busy machine
    expect: { poll: { timeout: 15_000 } },
    globalSetup: "test/run-folder.ts",
    setupFiles: ["test/seed.ts"],
    projects: [
      project("unit", ["{platform,gateway,services,cli,client,tools}/**/!(*.mesh).test.ts", "test/!(*.mesh).test.ts"], patient),
      project("mesh", ["{platform,gateway,services,test}/**/*.mesh.test.ts"], {
        ...patient,
        globalSetup: "test/servers/shared-cassandra.ts",
      }),
      project("http", httpInclude, { ...patient, globalSetup: "test/mesh-setup.ts", exclude: httpExclude }),
      ...(isShared ? [sharedMesh()] : []),
      // A mesh for each file takes long to start beside a browser
      project("browser", [browserFiles], { ...patient, hookTimeout: 180_000, globalSetup: "test/mesh-setup.ts" }),
      project("faults-mesh", ["test/faults-mesh/*.test.ts"], { testTimeout: 300_000, hookTimeout: 180_000 }),
      project("cluster", ["test/cluster/*.test.ts"], { testTimeout: 300_000, hookTimeout: 600_000 }),
      project("faults", ["test/faults/*.test.ts"], { testTimeout: 180_000, hookTimeout: 60_000 }),
      project("cdnow", ["test/cdnow/*.test.ts"], { testTimeout: 400_000, hookTimeout: 60_000 }),
      project("languages", ["test/languages/*.test.ts"], { testTimeout: 400_000, hookTimeout: 900_000 }),
      project("deploy", ["test/deploy/*.test.ts"], patient),
      project("kubernetes", ["test/kubernetes/*.test.ts"], { testTimeout: 1_200_000, hookTimeout: 600_000 }),
      project("model", ["test/model/**/*.test.ts"], { testTimeout: 400_000, hookTimeout: 60_000 }),
    ],
  },
});

function sharedMesh() {
  const { test } = project("http-shared", [httpFiles], { ...patient, globalSetup: "test/mesh-setup.ts" });
  const here = "test/kubernetes/black-box";
  const setupFiles = ["test/seed.ts", `${here}/shared-mesh.ts`, `${here}/setup.ts`];
  return { extends: true as const, resolve: { alias }, test: { ...test, exclude: ownFiles, setupFiles } };
}

function project(
  name: string,
  include: string[],
  settings: { testTimeout?: number; hookTimeout?: number; globalSetup?: string; exclude?: string[] },
) {
  return { extends: true as const, test: { name, include, ...settings } };
}
