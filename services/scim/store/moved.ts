/** What a backup takes from one store of dashboard users and gives to another: the documents of companies as they are. */
import type { Clock } from "../../../platform/clock.ts";
import { type MovedDocuments, readDocuments, writeDocuments } from "../../../platform/documents/move.ts";
import type { ScimDocuments } from "./documents.ts";
import { dayPartitions } from "./request-log.ts";
import { noteCompany } from "./users.ts";

interface ScimRows extends MovedDocuments {
  readonly space: "users" | "requests";
}

/** No other process writes to these companies meanwhile. */
export interface ScimMove {
  /** All documents of these companies that have not ended by themselves. */
  read(companyIds: ReadonlySet<string>): AsyncIterable<ScimRows>;
  /** Doing it again is harmless. */
  write(rows: ScimRows): Promise<void>;
}

export function scimMove(documents: ScimDocuments, clock: Clock): ScimMove {
  return {
    async *read(companyIds) {
      const now = clock.now();
      for (const partition of [...companyIds].flatMap((companyId) => dayPartitions(companyId, clock))) {
        for await (const rows of readDocuments(documents.requests, partition, { kinds: ["log"], now })) {
          yield { space: "requests", ...rows };
        }
      }
      const kinds = ["id", "name", "key", "ext", "event", "log", "mark"];
      for (const companyId of companyIds) {
        for await (const rows of readDocuments(documents.users, companyId, { kinds, now })) yield { space: "users", ...rows };
      }
    },
    async write({ space, ...rows }) {
      if (rows.writes.length === 0) return;
      if (space === "requests") await documents.requests.changeIf(rows.partition, { reads: [], plan: () => rows.writes });
      else await writeDocuments(documents.users, rows, () => false);
      if (rows.writes.some(({ key: { kind } }) => kind === "event")) await noteCompany(documents.companies, rows.partition);
    },
  };
}
