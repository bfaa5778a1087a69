/** A session for contract suites on a real server: tables made once, each test in workspaces of its own, and writes that fail on demand. */
import { afterAll, beforeAll } from "vitest";
import { type SharedCassandra, sharedCassandra } from "../../test/servers/shared-cassandra.ts";
import { systemClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { openCassandra } from "./driver.ts";
import { createKeyspace, migrate, readMigrations } from "./migrate.ts";
import type { Row, Session, Statement } from "./session.ts";

const hookMs = 240_000;

/** A session on `keyspace`, which no other file may use, with the tables of `schemaFolder`; `openAnother` makes them once more. */
export function tableSuite(keyspace: string, schemaFolder: string) {
  const started: { session?: Session } = {};
  async function openAnother(name: string): Promise<Session> {
    return await openTables(await sharedCassandra(), name, schemaFolder);
  }
  beforeAll(async () => {
    started.session = await openAnother(keyspace);
  }, hookMs);
  afterAll(() => started.session?.close(), hookMs);
  return {
    openAnother,
    get session(): Session {
      if (!started.session) throw new Error("The tables were not made");
      return started.session;
    },
  };
}

/** Makes the keyspace with the tables of `schemaFolder`. */
export async function openTables(server: SharedCassandra, keyspace: string, schemaFolder: string): Promise<Session> {
  const config = { contactPoints: [server.contactPoint], datacenter: server.datacenter, deadlineMs: limits.cassandraSchemaMsMax };
  const outside = openCassandra(config, systemClock);
  await createKeyspace(outside, keyspace, { class: "NetworkTopologyStrategy", [server.datacenter]: 1 });
  await outside.close();
  const session = openCassandra({ ...config, keyspace }, systemClock);
  await migrate({ session, migrations: readMigrations(schemaFolder), owner: keyspace });
  return session;
}

/** `session` with a prefix before every workspace, or whatever `column` names, so that a test sees nothing of another one. */
export function contractSession(
  session: Session,
  prefix: string,
  column = "workspace_id",
): { readonly session: Session; breakNextWrite(): void } {
  let isBroken = false;
  function inside(statement: Statement): Statement {
    const name = statement.values[column];
    if (typeof name !== "string") return statement;
    return { ...statement, values: { ...statement.values, [column]: `${prefix}${name}` } };
  }
  function outside(rows: readonly Row[]): Row[] {
    return rows.flatMap((row) => {
      const name = row[column];
      if (typeof name !== "string") return [row];
      return name.startsWith(prefix) ? [{ ...row, [column]: name.slice(prefix.length) }] : [];
    });
  }
  function planted(): void {
    if (!isBroken) return;
    isBroken = false;
    throw new Error("planted");
  }
  return {
    breakNextWrite: () => {
      isBroken = true;
    },
    session: {
      async execute(statement) {
        if (!statement.cql.startsWith("SELECT")) planted();
        return outside(await session.execute(inside(statement)));
      },
      async batch(statements) {
        planted();
        await session.batch(statements.map(inside));
      },
      conditional: (statements) => session.conditional(statements.map(inside)),
      async page(statement, options) {
        const { rows, next } = await session.page(inside(statement), options);
        return { rows: outside(rows), next };
      },
      close: () => Promise.resolve(),
    },
  };
}
