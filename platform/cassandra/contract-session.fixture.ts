/** A session for contract suites on a real server: tables made once, each test in workspaces of its own, and writes that fail on demand. */
import type { CassandraServer } from "../../test/servers/cassandra.ts";
import { systemClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { openCassandra } from "./driver.ts";
import { createKeyspace, migrate, readMigrations } from "./migrate.ts";
import type { Row, Session, Statement } from "./session.ts";

/** Makes the keyspace with the tables of `schemaFolder`. */
export async function openTables(server: CassandraServer, keyspace: string, schemaFolder: string): Promise<Session> {
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
