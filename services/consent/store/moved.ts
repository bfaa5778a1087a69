/** The rows of a backup in stores of consent: all of them are read, a page at a time, with their chains. */
import type { Aged } from "../../../platform/age.ts";
import { scanTable, type Session } from "../../../platform/cassandra/session.ts";
import { type ConsentMove, inWrites, notThere, subjectsOf, withChains } from "../../../platform/ledger/moved.ts";
import { limits } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { bodyOf, type StateRows } from "./cassandra.ts";
import type { StateColumns } from "./state-place.ts";
import type { SqliteConsent } from "./sqlite.ts";
import { type ConsentTables, stepOfRows } from "./tables.ts";

/** `of`: as in "memberships". */
async function waitingIn({ listSetAside }: Pick<ConsentTables<unknown>, "listSetAside">, of: string): Promise<string[]> {
  return (await listSetAside(1)).length === 0 ? [] : [`records of ${of} were set aside`];
}

export function cassandraConsentMove<State extends Aged>(
  session: Session,
  tables: ConsentTables<State>,
  { of, column, alone, together, fromRow }: { readonly of: string } & StateColumns & Pick<StateRows<State>, "fromRow">,
): ConsentMove<State> {
  return {
    waiting: () => waitingIn(tables, of),
    async *read(workspaceIds) {
      for (const { scan } of together === undefined ? [alone] : [alone, together]) {
        for await (const page of scanTable(session, scan, limits.movedRowsPerPage)) {
          const wanted = page.filter((row) => workspaceIds.has(String(row["workspace_id"])));
          for (const [workspaceId, rows] of Map.groupBy(wanted, (row) => String(row["workspace_id"]))) {
            const states = new Map(rows.map((row): [string, State] => [String(row[column]), fromRow(bodyOf(row)[0])]));
            yield withChains(tables, { workspaceId, states });
          }
        }
      }
    },
    async write(rows) {
      for (const some of inWrites(rows)) await tables.commit(stepOfRows(some));
    },
  };
}

export function sqliteConsentMove<State>(
  database: Database,
  tables: SqliteConsent<State>,
  { of, page, fromRow, nothing }: {
    readonly of: string;
    /** Gives `key` and `body` of a workspace's states behind a key, in order. */
    readonly page: string;
    readonly fromRow: (text: string) => State;
    /** Of a subject that has a chain alone; absent: there is none such. In the mesh a chain ends in a row. */
    readonly nothing?: (key: string) => State;
  },
): ConsentMove<State> {
  return {
    waiting: () => waitingIn(tables, of),
    async *read(workspaceIds) {
      for (const workspaceId of workspaceIds) {
        for (const states of statesIn(workspaceId)) yield withChains(tables, { workspaceId, states });
        if (nothing === undefined) continue;
        for await (const subjects of subjectsOf(tables, workspaceId)) {
          const known = await tables.load(workspaceId, subjects);
          const states = new Map(subjects.filter((subject) => !known.has(subject)).map((subject) => [subject, nothing(subject)]));
          yield withChains(tables, { workspaceId, states });
        }
      }
    },
    async write(rows) {
      await tables.commit(stepOfRows(await notThere(tables, rows)));
    },
  };

  function* statesIn(workspaceId: string): Generator<Map<string, State>> {
    for (let after = "";;) {
      const found = database.prepare(page).all(workspaceId, after, limits.movedRowsPerPage);
      if (found.length === 0) return;
      after = String(found.at(-1)?.["key"]);
      yield new Map(found.map((row) => [String(row["key"]), fromRow(String(row["body"]))]));
    }
  }
}
