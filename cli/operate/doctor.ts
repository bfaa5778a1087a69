/** heddle doctor: checks what Heddle needs on this machine, and says for each trouble what to do. */
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { errorText } from "../../platform/error-text.ts";
import { systemClock } from "../../platform/clock.ts";
import { ConfigError, readConfig } from "../../platform/config.ts";
import { openReachFile } from "../../platform/log/reach-file.ts";
import { judgeReach } from "../../platform/log/sqlite-epoch.ts";
import { databaseEndings, modeForOthers } from "../../platform/sqlite/owner-only.ts";
import { asCalled } from "../shell/called-as.ts";
import { databaseFile, dataFolder, isMesh, isServed } from "../target/data-folder.ts";
import type { Finding } from "../../platform/finding.ts";
import { exitCodes, printResult, table } from "../shell/output.ts";
import { runningFile, type RunningRecord } from "../target/running-record.ts";
import { readStartConfig, type StartConfig } from "../target/start-config.ts";

export interface DoctorOptions {
  readonly dataDir?: string;
  readonly json?: boolean;
  readonly env: NodeJS.ProcessEnv;
}

/** The oldest that the tests have run on. */
const denoMinorWanted = 9;
const freeBytesFail = 100 * 1024 * 1024;
const freeBytesWarn = 1024 * 1024 * 1024;
const clockAheadMsMax = 5 * 60_000;
/** Before this day the software did not exist, so a clock that says so is wrong. */
const firstDay = Date.UTC(2026, 0, 1);

export async function doctor(options: DoctorOptions): Promise<number> {
  const found = isMesh(options) ? await examineOfMesh(options.env) : await examine(options);
  const findings = found.map((finding) => ({ ...finding, text: asCalled(finding.text) }));
  const failed = findings.some((finding) => finding.level === "fail");
  printResult(options, findings, table(["CHECK", "", "FOUND"], findings.map(({ check, level, text }) => [check, level, text])));
  return failed ? exitCodes.failure : exitCodes.ok;
}

/** The servers of the mesh that the environment names. */
async function examineOfMesh(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const runtime = examineRuntime();
  try {
    const { examineMesh } = await import("./doctor-mesh.ts");
    return [runtime, ...await examineMesh(env)];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [runtime, { check: "configuration", ...fail(problemsOf(error)) }];
  }
}

/** All findings; a check that itself fails is a finding too. */
export async function examine(options: DoctorOptions): Promise<Finding[]> {
  const folder = resolve(dataFolder(options.dataDir, options.env));
  const configured = checkConfig(options.env);
  const running = isServed(folder);
  const record = running ? runningFile(folder).read() : undefined;
  return [
    examineRuntime(),
    attempt("sqlite", checkSqlite),
    configured.finding,
    attempt("data folder", () => checkFolder(folder)),
    attempt("files", () => checkFiles(folder)),
    attempt("free space", () => checkSpace(folder)),
    { check: "server", ...await checkServer(running, record) },
    attempt("database", () => checkDatabase(join(folder, databaseFile))),
    attempt("log", () => checkReach(folder, running)),
    attempt("clock", () => checkClock(join(folder, databaseFile))),
    ...(configured.config ? [{ check: "port", ...await checkPort(configured.config, running, record) }] : []),
  ];
}

/**
 * What the process that serves the folder can look at itself, while it serves. Deno gives the rights to look at more to the command alone;
 * whether the whole file is sound takes too long for a process that others wait for.
 */
export async function examineRunning(folder: string): Promise<Finding[]> {
  const isDeno = process.versions["deno"] !== undefined;
  const database = join(folder, databaseFile);
  return [
    examineRuntime(),
    attempt("sqlite", checkSqlite),
    attempt("files", () => checkFiles(folder)),
    ...(isDeno ? [] : [attempt("data folder", () => checkFolder(folder)), attempt("free space", () => checkSpace(folder))]),
    attempt("clock", () => checkClock(database)),
  ];
}

/** The runtime of this process, as every shape needs it. */
export function examineRuntime(): Finding {
  return attempt("runtime", checkRuntime);
}

type Found = Omit<Finding, "check">;

function ok(text: string): Found {
  return { level: "ok", text };
}

function warn(text: string): Found {
  return { level: "warn", text };
}

function fail(text: string): Found {
  return { level: "fail", text };
}

function attempt(check: string, work: () => Found): Finding {
  try {
    return { check, ...work() };
  } catch (error) {
    return { check, ...fail(`could not be checked: ${errorText(error)}`) };
  }
}

function checkRuntime(): Found {
  const deno = process.versions["deno"];
  if (deno !== undefined) {
    const [major = 0, minor = 0] = deno.split(".").map(Number);
    const isEnough = major > 2 || (major === 2 && minor >= denoMinorWanted);
    return isEnough ? ok(`Deno ${deno}`) : fail(`Deno ${deno}: Heddle needs Deno 2.${denoMinorWanted} or newer`);
  }
  const node = process.versions.node;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  const isEnough = major > 24 || (major === 24 && minor >= 7) || (major === 22 && minor >= 20);
  return isEnough ? ok(`Node ${node}`) : fail(`Node ${node}: Heddle needs Node 22.20 or a later 22, or 24.7 or newer`);
}

function checkSqlite(): Found {
  const handle = new DatabaseSync(":memory:");
  const version = String(handle.prepare("SELECT sqlite_version() AS version").get()?.["version"]);
  handle.close();
  const [major = 0, minor = 0] = version.split(".").map(Number);
  // STRICT tables came with 3.37, and older ones lose their meaning without them.
  return major > 3 || (major === 3 && minor >= 37)
    ? ok(version)
    : fail(`${version}: Heddle needs 3.37 or newer, which a newer runtime brings`);
}

function checkConfig(env: NodeJS.ProcessEnv): { finding: Finding; config?: StartConfig } {
  try {
    const config = readConfig(env, readStartConfig);
    const { host, port } = config.gateway;
    return { finding: { check: "configuration", ...ok(`listens on ${host}:${port}, logs ${config.logLevel}`) }, config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { finding: { check: "configuration", ...fail(problemsOf(error)) } };
  }
}

function problemsOf({ problems }: ConfigError): string {
  return problems.map(({ key, expected, got }) => `${key}: expected ${expected}, got ${JSON.stringify(got)}`).join("; ");
}

function checkFolder(folder: string): Found {
  const existing = nearestExisting(folder);
  if (!statSync(existing).isDirectory()) return fail(`${existing} is not a folder: set HEDDLE_DATA_DIR to one`);
  try {
    accessSync(existing, constants.W_OK | constants.R_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Deno may not have been allowed to look
    if (code !== "EACCES" && code !== "EROFS") throw error;
    return fail(`${existing} is not writable: give this user the right to write, or set HEDDLE_DATA_DIR`);
  }
  return ok(existing === folder ? folder : `${folder} (made at the first start)`);
}

/** The database and what stands beside it, for its owner alone. */
function checkFiles(folder: string): Found {
  const files = databaseEndings.map((ending) => join(folder, `${databaseFile}${ending}`));
  const open = files.filter((file) => modeForOthers(file) !== 0);
  if (open.length > 0) return fail(`others may read or write ${open.join(", ")}: run chmod 600 on them; heddle start does it too`);
  const key = join(folder, "demo-key");
  if (existsSync(key)) {
    return warn(`${key} holds an API key of an earlier version: keep the key elsewhere if you need it, and delete the file`);
  }
  return ok(existsSync(join(folder, databaseFile)) ? "for their owner alone" : "none yet");
}

function checkSpace(folder: string): Found {
  const { bavail, bsize } = statfsSync(nearestExisting(folder));
  const free = bavail * bsize;
  const text = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
  if (free < freeBytesFail) return fail(`${text}: writes will be refused soon, make room`);
  return free < freeBytesWarn ? warn(`${text}: make room before it is too late`) : ok(text);
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

function checkDatabase(path: string): Found {
  if (!existsSync(path)) return ok("none yet, made at the first start");
  return reading(path, (handle) => {
    const mode = String(handle.prepare("PRAGMA journal_mode").get()?.["journal_mode"]);
    const problems = handle.prepare("PRAGMA quick_check(10)").all().map((row) => String(row["quick_check"]));
    if (problems.join() !== "ok") return fail(`damaged (${problems.join("; ")}): restore a backup, and check the disk`);
    // Not of the file: what was written last may be in the write-ahead log alone
    const { bytes } = handle.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size").get() ?? {};
    const megabytes = (Number(bytes) / 1024 ** 2).toFixed(1);
    return mode === "wal"
      ? ok(`sound, ${megabytes} MiB`)
      : warn(`sound, ${megabytes} MiB, in journal mode "${mode}": heddle start will set WAL`);
  });
}

function reading<T>(path: string, work: (handle: DatabaseSync) => T): T {
  const handle = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    return work(handle);
  } finally {
    handle.close();
  }
}

/** Whether the file has all that was given out. A server that runs has looked itself, and is further than the file beside it says. */
function checkReach(folder: string, running: boolean): Found {
  const path = join(folder, databaseFile);
  if (!existsSync(path)) return ok("none yet, made at the first start");
  return reading(path, (handle) => {
    const isMade = Number(handle.prepare("SELECT count(*) AS count FROM sqlite_schema WHERE name = 'log_epoch'").get()?.["count"]) > 0;
    const row = isMade ? handle.prepare("SELECT log_id, number, floor FROM log_epoch").get() : undefined;
    if (row === undefined) return ok("of a build without epochs, taken over at the next start");
    const number = Number(row["number"]);
    const tail = Number(handle.prepare("SELECT max(sequence) AS sequence FROM log_tails").get()?.["sequence"] ?? 0);
    const known = { logId: String(row["log_id"]), number };
    const isOlder = !running && judgeReach(openReachFile(folder).load(), known, Math.max(tail, Number(row["floor"]))) === "older";
    if (!isOlder) return ok(`epoch ${number}`);
    return warn("the database is older than what was given out: heddle start will begin a new epoch, and positions of before are refused");
  });
}

function checkClock(path: string): Found {
  const now = systemClock.now();
  const text = new Date(now).toISOString();
  if (now < firstDay) return fail(`${text} is in the past: set the clock of this machine`);
  const newest = existsSync(path) ? newestKeyTime(path) : 0;
  return newest > now + clockAheadMsMax
    ? fail(`${text}, but an API key was made at ${new Date(newest).toISOString()}: the clock went back, set it`)
    : ok(text);
}

function newestKeyTime(path: string): number {
  return reading(path, (handle) => {
    const tables = handle.prepare("SELECT name FROM sqlite_schema WHERE name IN ('documents', 'access_keys')").all();
    return Math.max(0, ...tables.map(({ name }) => Number(handle.prepare(newestKey[String(name)] ?? "").get()?.["newest"] ?? 0)));
  });
}

/** By table, also of a build before. */
const newestKey: Readonly<Record<string, string>> = {
  documents: "SELECT max(value ->> 'createdAt') AS newest FROM documents WHERE space = 'access' AND kind = 'key'",
  access_keys: "SELECT max(created_at) AS newest FROM access_keys",
};

const answerMsMax = 3_000;

/** Asks the server that has the folder, wherever it listens. */
async function checkServer(running: boolean, record: RunningRecord | undefined): Promise<Found> {
  if (!running) return ok("none runs on the data folder");
  if (record === undefined) return ok("one runs on the data folder, and does not say where: it is starting, or of an earlier build");
  const { pid, url, startedAt } = record;
  const text = `process ${pid} runs on the data folder since ${startedAt}, at ${url}`;
  try {
    const answer = await fetch(`${reachable(url)}/readyz`, { signal: AbortSignal.timeout(answerMsMax) });
    const body = await answer.text();
    return answer.ok ? ok(`${text}: ready`) : fail(`${text}: not ready (${body.slice(0, 300)})`);
  } catch (error) {
    return fail(`${text}: it does not answer (${errorText(error)})`);
  }
}

/** What listens on every address is reached on the loopback. */
function reachable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

function checkPort(config: StartConfig, running: boolean, record: RunningRecord | undefined): Promise<Found> {
  const { host, port } = config.gateway;
  if (record !== undefined && port !== 0 && Number(new URL(record.url).port || 80) !== port) {
    return Promise.resolve(warn(`HEDDLE_HTTP_PORT is ${port} here, and the server that runs listens on ${record.url}`));
  }
  if (record !== undefined) return Promise.resolve(ok(`the server that runs listens on ${record.url}`));
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE";
      if (taken && running) resolve(ok(`${host}:${port} is in use, by the server that runs`));
      else {resolve(fail(
          taken
            ? `${host}:${port} is in use: stop the program that has it, or set HEDDLE_HTTP_PORT`
            : `${host}:${port} cannot be used: ${error.message}`,
        ));}
    });
    server.listen(port, host, () => server.close(() => resolve(ok(port === 0 ? "any free one" : `${host}:${port} is free`))));
  });
}
