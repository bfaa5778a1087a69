/** Brings a keyspace to the newest version of its tables: additions only, one at a time, resumable at any statement. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../identifier.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { Unusable } from "../unusable.ts";
import { splitStatements, tablesOf } from "./cql.ts";
import type { Row, Session } from "./session.ts";

export interface Migration {
  readonly version: number;
  readonly description: string;
  readonly statements: readonly string[];
  /** Of the statements: a released version never changes. */
  readonly digest: string;
  /**
   * Builds that do not know this version must not work beside one that uses it: its use begins with a seal. "new": only tables that are
   * made with it are ever sealed by it, as what lies in others would have to be moved.
   */
  readonly seals?: Seals;
}

type Seals = true | "new";

export interface MigrateOptions {
  /** Of the keyspace, opened with a deadline of `cassandraSchemaMsMax`. */
  readonly session: Session;
  readonly migrations: readonly Migration[];
  /** An id that no other run has. */
  readonly owner: string;
  /** Seals tables that were made before; new ones are sealed as they are made. */
  readonly seal?: boolean;
}

/** `replication`: as CQL takes it, {"class": "NetworkTopologyStrategy", "datacenter1": 3}. A keyspace that is there is left as it is. */
export async function createKeyspace(
  session: Session,
  keyspace: string,
  replication: Readonly<Record<string, string | number>>,
): Promise<void> {
  const parts = Object.entries(replication).map(([name, value]) => `${quoted(name)}: ${quoted(String(value))}`);
  if (!/^[a-z]\w{0,47}$/.test(keyspace)) throw new Error(`Expected a keyspace of 1 to 48 letters, digits and "_", got "${keyspace}"`);
  const cql = `CREATE KEYSPACE IF NOT EXISTS ${keyspace} WITH replication = {${parts.join(", ")}}`;
  await session.execute({ cql, values: {} });
}

/** The versions below `folder`: `v0001/manifest.json` names the CQL files. Throws on a gap and on anything that is no addition. */
export function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder).filter((name) => /^v\d{4}$/.test(name)).sort();
  const migrations = names.map((name) => readMigration(join(folder, name)));
  migrations.forEach(({ version }, at) => {
    if (version !== at + 1 || names[at] !== `v${String(version).padStart(4, "0")}`) {
      throw new Error(`Expected version ${at + 1} in "${names[at]}", got ${version}`);
    }
  });
  tablesOf(migrations.flatMap(({ statements }) => statements));
  const isNew = migrations.findIndex(({ seals }) => seals === "new");
  if (isNew !== -1 && migrations.slice(isNew + 1).some(({ seals }) => seals === true)) {
    throw new Error(`Version ${isNew + 1} seals new tables alone: sealed by a later one, older ones would look as if they were`);
  }
  return migrations;
}

/**
 * Gives the versions it applied. Refuses with STATE_CONFLICT while another run holds the lock, which ends by itself a
 * minute after its owner died. Run twice it does nothing; stopped half way, it goes on at the version that was begun,
 * whose statements do nothing where they are done. Where a newer build has been here there is nothing to do: versions
 * only add, so older builds go on with what they know. Throws Unusable where a version was changed.
 * Where a version seals, builds that do not know it refuse tables that are sealed: the digest of their first version is another one.
 * In a keyspace that never was migrated, two first runs at the very same moment are not kept apart.
 */
export async function migrate(options: MigrateOptions): Promise<number[]> {
  const { session, migrations } = options;
  for (const cql of ownTables) await session.execute({ cql, values: {} });
  await lock(options);
  try {
    const begun = await currentVersion(session, migrations);
    const missing = migrations.slice(begun);
    for (const migration of missing) await apply(options, migration, begun === 0);
    if (options.seal) await seal(options);
    return missing.map(({ version }) => version);
  } finally {
    await onLock(options, releaseLock);
  }
}

/** The version that the tables have, 0 where there are none; more than this build knows where a newer one has been here. */
export async function currentVersion(session: Session, migrations: readonly Migration[]): Promise<number> {
  return (await versionsOf(session, migrations)).length;
}

/** The version that seals these tables: builds that do not know it refuse them; 0 where they are not sealed. */
export async function sealedBy(session: Session, migrations: readonly Migration[]): Promise<number> {
  const [first] = await versionsOf(session, migrations);
  return sealsOf(migrations).get(String(first?.["digest"])) ?? 0;
}

async function versionsOf(session: Session, migrations: readonly Migration[]): Promise<readonly Row[]> {
  const rows = await session.execute({ cql: selectVersions, values: { name: lockName } });
  for (const [at, { digest }] of migrations.slice(0, rows.length).entries()) {
    const found = rows[at]?.["digest"];
    if (found !== digest && (at > 0 || !sealsOf(migrations).has(String(found)))) {
      throw new Unusable(
        `Version ${at + 1} of the tables was another one when it was applied: run the build that applied it, or a newer one`,
      );
    }
  }
  return rows;
}

/** The digests of the first version of tables that are sealed, each with the version that they are sealed by. */
function sealsOf(migrations: readonly Migration[]): Map<string, number> {
  const sealing = migrations.filter(({ seals }) => seals);
  return new Map(sealing.map(({ version }) => [`${migrations[0]?.digest} sealed by ${version}`, version]));
}

/** That of tables that are sealed by every version that seals them; undefined where none does. */
function sealed(migrations: readonly Migration[]): string | undefined {
  return [...sealsOf(migrations).keys()].at(-1);
}

/** Tables that were made with more are left as they are. */
async function seal({ session, migrations }: MigrateOptions): Promise<void> {
  const [first] = migrations;
  const old = migrations.filter(({ seals }) => seals !== "new");
  const digest = sealed(old);
  if (first === undefined || digest === undefined || await sealedBy(session, migrations) > (sealsOf(old).get(digest) ?? 0)) return;
  const { version, description } = first;
  await session.execute({ cql: putVersion, values: { name: lockName, version, description, digest } });
}

async function apply(options: MigrateOptions, migration: Migration, isNew: boolean): Promise<void> {
  const { version, description, statements } = migration;
  const digest = isNew && version === 1 ? sealed(options.migrations) ?? migration.digest : migration.digest;
  for (const cql of statements) {
    await keepLock(options);
    await options.session.execute({ cql, values: {} });
  }
  await keepLock(options);
  await options.session.execute({ cql: putVersion, values: { name: lockName, version, description, digest } });
}

/** A run that got no answer may hold the lock all the same: the row says whose it is. */
async function lock(options: MigrateOptions): Promise<void> {
  const row = await onLock(options, takeLock);
  if (row?.["[applied]"] === true || row?.["owner"] === options.owner) return;
  throw new Refusal("STATE_CONFLICT", `Another migration is running, by "${String(row?.["owner"])}"`);
}

async function keepLock(options: MigrateOptions): Promise<void> {
  const row = await onLock(options, renewLock);
  if (row?.["[applied]"] !== true) throw new Refusal("STATE_CONFLICT", "The lock of this migration ended, another one may be running");
}

async function onLock({ session, owner }: MigrateOptions, cql: string): Promise<Row | undefined> {
  const values = { name: lockName, owner, ttl: limits.cassandraSchemaLockSeconds };
  const [row] = await session.execute({ cql, values, isConditional: true });
  return row;
}

function readMigration(folder: string): Migration {
  const { version, description, files, seals } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest;
  const statements = files.flatMap((file) => splitStatements(readFileSync(join(folder, file), "utf8")));
  return { version, description, statements, digest: sha256Hex(statements.join(";")), ...(seals && { seals }) };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const lockName = "tables";

/** The lock's row is written by conditional statements alone. */
const ownTables = [
  "CREATE TABLE IF NOT EXISTS schema_lock (name text, owner text, PRIMARY KEY ((name)))",
  "CREATE TABLE IF NOT EXISTS schema_versions (name text, version int, description text, digest text, PRIMARY KEY ((name), version))",
];
const takeLock = "INSERT INTO schema_lock (name, owner) VALUES (:name, :owner) IF NOT EXISTS USING TTL :ttl";
const renewLock = "UPDATE schema_lock USING TTL :ttl SET owner = :owner WHERE name = :name IF owner = :owner";
const releaseLock = "DELETE FROM schema_lock WHERE name = :name IF owner = :owner";
const selectVersions = "SELECT version, digest FROM schema_versions WHERE name = :name";
const putVersion = "INSERT INTO schema_versions (name, version, description, digest) VALUES (:name, :version, :description, :digest)";

interface Manifest {
  readonly version: number;
  readonly description: string;
  readonly files: readonly string[];
  readonly seals?: Seals;
}
