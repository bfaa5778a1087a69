/** Events that wait to be published in Cassandra, of whichever process wrote them. */
import type { Session } from "../../../platform/cassandra/session.ts";
import type { UserDeleted } from "../domain/ports.ts";
import type { Outbox, Waiting } from "../domain/outbox.ts";
import { deleteRowThere, part, plain, selectBodiesUp, selectCompanies } from "./cassandra-statements.ts";

/** Sequences count what this process has seen: two processes may publish an event both, under one id. */
export function openCassandraOutbox(session: Session): Outbox {
  const places = new Map<number, { readonly companyId: string; readonly key: string }>();
  let last = 0;
  return {
    async next(limit) {
      places.clear();
      const waiting: Waiting[] = [];
      for (const row of await session.execute(plain(selectCompanies, {}))) {
        const companyId = String(row["company_id"]);
        const asked = { company_id: companyId, kind: "event", after: "", max: limit - waiting.length };
        if (asked.max === 0) break;
        for (const { key, body } of await session.execute(plain(selectBodiesUp, asked))) {
          last += 1;
          places.set(last, { companyId, key: String(key) });
          waiting.push({ sequence: last, event: JSON.parse(String(body)) as UserDeleted });
        }
      }
      return waiting;
    },
    async done(sequence) {
      for (const [place, { companyId, key }] of places) {
        if (place > sequence) continue;
        await session.conditional([part(deleteRowThere, { company_id: companyId, kind: "event", key })]);
        places.delete(place);
      }
    },
  };
}
