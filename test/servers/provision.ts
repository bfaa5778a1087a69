/** Where the real servers of the tests come from: the system, the Go module proxy and Maven Central, built once and kept. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { env } from "node:process";
import { promisify } from "node:util";
import { findGoTools, findPythonTools, findTypeScriptTools } from "./language-tools.ts";
import { errorText } from "../../platform/error-text.ts";

/** What a server needs, each with what to do where it is missing. */
export const serverNames = ["nats", "redis", "cassandra"] as const;
/** What makes clients in other languages. */
type LanguageName = "go" | "python" | "typescript";
export type ServerName = (typeof serverNames)[number] | LanguageName;

/** Builds or finds the server; the text says where it is, or what is missing and how to get it. Safe to run twice at once. */
export async function provision(name: ServerName): Promise<Provision> {
  try {
    return { name, found: await finders[name]() };
  } catch (error) {
    return { name, missing: errorText(error) };
  }
}

/** The folder that keeps what was built: `HEDDLE_SERVERS_DIR`, or `.cache/servers` of the repository. */
export function serversFolder(): string {
  return resolve(env.HEDDLE_SERVERS_DIR ?? join(import.meta.dirname, "../../.cache/servers"));
}

export const natsVersion = "2.15.2";
export const cassandraVersion = "5.0.9";
const buildMsMax = 15 * 60_000;
const run = promisify(execFile);

const finders: Record<ServerName, () => Promise<Found>> = {
  nats: findNats,
  redis: findRedis,
  cassandra: findCassandra,
  go: () => findGoTools(pathOf("go", ["/usr/local/go/bin/go"]), buildOnce),
  python: () => findPythonTools(pathOf("python3"), join(serversFolder(), "python-clients-0.29.1")),
  typescript: () => findTypeScriptTools(buildOnce),
};

async function findNats(): Promise<Found> {
  const folder = join(serversFolder(), `nats-server-${natsVersion}`);
  const program = join(folder, "nats-server");
  if (existsSync(program)) return { program };
  const go = pathOf("go", ["/usr/local/go/bin/go"]);
  if (!go) throw new Error("nats-server is not built and Go is missing: install Go 1.24 or later (https://go.dev/dl)");
  await build(folder, (target) =>
    run(go, ["install", `github.com/nats-io/nats-server/v2@v${natsVersion}`], {
      cwd: target,
      timeout: buildMsMax,
      env: { ...env, GOBIN: target },
    }));
  return { program };
}

async function findRedis(): Promise<Found> {
  const program = pathOf("redis-server") ?? pathOf("valkey-server");
  if (!program) throw new Error("redis-server is missing: apt-get install -y redis-server");
  return { program };
}

async function findCassandra(): Promise<Found> {
  const java = await findJava();
  const folder = join(serversFolder(), `cassandra-${cassandraVersion}`);
  if (existsSync(folder)) return { program: java, folder };
  const maven = pathOf("mvn");
  if (!maven) throw new Error("Cassandra is not fetched and Maven is missing: apt-get install -y maven");
  await build(folder, async (target) => {
    writeFileSync(join(target, "pom.xml"), pom);
    await run(maven, ["-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime", `-DoutputDirectory=${join(target, "lib")}`], {
      cwd: target,
      timeout: buildMsMax,
    });
  });
  return { program: java, folder };
}

/** Cassandra 5.0 runs on Java 11 and 17 and on nothing newer. */
async function findJava(): Promise<string> {
  const installed = existsSync("/usr/lib/jvm") ? readdirSync("/usr/lib/jvm").filter((name) => name.includes("17")) : [];
  const others = installed.map((name) => join("/usr/lib/jvm", name, "bin/java"));
  const candidates = [env.JAVA_HOME && join(env.JAVA_HOME, "bin/java"), pathOf("java"), ...others];
  for (const candidate of candidates) {
    if (candidate && existsSync(candidate) && /version "17\./.test((await run(candidate, ["-version"])).stderr)) return candidate;
  }
  throw new Error("Java 17 is missing, which Cassandra runs on: apt-get install -y openjdk-17-jre-headless");
}

/** Fills a folder of its own and then moves it to its place, so that a half-built one is never seen. */
export async function build(folder: string, fill: (target: string) => Promise<unknown>): Promise<void> {
  mkdirSync(resolve(folder, ".."), { recursive: true });
  const target = mkdtempSync(`${folder}-building-`);
  try {
    await fill(target);
    if (!existsSync(folder)) renameSync(target, folder);
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}

async function buildOnce(name: string, fill: (target: string) => Promise<unknown>): Promise<string> {
  const folder = join(serversFolder(), name);
  if (!existsSync(folder)) await build(folder, fill);
  return folder;
}

/** Of a program on PATH, or else at one of the further places. */
export function pathOf(program: string, further: readonly string[] = []): string | undefined {
  const places = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "").map((folder) => join(folder, program));
  return [...places, ...further].find((path) => existsSync(path));
}

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>heddle.test</groupId>
  <artifactId>cassandra-server</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.cassandra</groupId>
      <artifactId>cassandra-all</artifactId>
      <version>${cassandraVersion}</version>
    </dependency>
  </dependencies>
</project>
`;

export interface Found {
  readonly program: string;
  /** Where what the program loads lies. */
  readonly folder?: string;
}

export type Provision =
  | { readonly name: ServerName; readonly found: Found; readonly missing?: undefined }
  | { readonly name: ServerName; readonly missing: string; readonly found?: undefined };
