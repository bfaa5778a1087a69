/** Events that wait to be published, of whichever process wrote them: gone when they went out. Two processes may publish one both. */
import type { Outbox, UserDeleted } from "../domain/ports.ts";
import type { ScimDocuments } from "./documents.ts";
import { allCompanies } from "./users.ts";

export function openOutbox({ users, companies }: ScimDocuments): Outbox {
  return {
    async companies() {
      return (await companies.list(allCompanies, "company")).map(({ id }) => id);
    },
    async next(companyId, page) {
      const found = await users.between(companyId, "event", page);
      return found.map(({ id, value }) => ({ companyId, id, event: value as UserDeleted }));
    },
    async done(published) {
      for (const [companyId, some] of Map.groupBy(published, (one) => one.companyId)) {
        const reads = some.map(({ id }) => ({ kind: "event", id }));
        await users.changeIf(companyId, { reads, plan: () => reads.map((key) => ({ key, value: undefined })) });
      }
    },
  };
}
