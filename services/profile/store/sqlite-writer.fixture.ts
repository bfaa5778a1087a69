/** The writing ports over the embedded store, each call a step of its own. */
import type { IdentityWriter, ProfileWriter } from "../domain/ports.ts";
import type { Step, UnitOfWork, WorkspaceStep } from "../resolve/step-store.ts";
import type { ProfileTables } from "./sqlite.ts";

export function stepOf(parts: Partial<WorkspaceStep>, place: Partial<Step> = {}): Step {
  const workspaces = [{ workspaceId: "w", identities: new Map(), consent: [], ...parts }];
  return { partition: 0, through: 1, workspaces, deadLetters: [], ...place };
}

export function sqliteIdentities({ steps }: ProfileTables): IdentityWriter {
  return {
    save: (workspaceId, identities) => steps.commit(stepOf({ workspaceId, identities })),
    saveOrigins(partition, through, origins) {
      const workspaces = origins.map(([workspaceId, own]) => ({ workspaceId, identities: new Map(), consent: [], origins: own }));
      return steps.commit(stepOf({}, { partition, through, workspaces }));
    },
    setAside: (deadLetters) => steps.commit(stepOf({}, { deadLetters })),
    forgetSetAside: (place) => steps.forgetSetAside(place),
  };
}

export function sqliteProfiles({ steps }: ProfileTables): ProfileWriter {
  async function committed<Result>(change: (work: UnitOfWork) => Promise<Result>): Promise<Result> {
    const work = steps.work();
    const result = await change(work);
    await steps.commit(stepOf({}, { workspaces: [] }), { work });
    return result;
  }
  return {
    // As appliers do, who load before they save
    save: (changes) =>
      committed(async (work) => {
        await work.loadUsers(changes.workspaceId, [...changes.users.keys()]);
        return await work.save(changes);
      }),
    forgetMerges: (workspaceId, ids) => committed((work) => work.forgetMerges(workspaceId, ids)),
    forgetHandoffs: (workspaceId, ids) => committed((work) => work.forgetHandoffs(workspaceId, ids)),
    loadHandoffs: (workspaceId, ids) => steps.work().loadHandoffs(workspaceId, ids),
  };
}
