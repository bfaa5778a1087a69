/** The contract of rows on SQLite, whose steps are one transaction. */
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { laneRows } from "../lanes/lane-message.ts";
import type { Step, WorkspaceStep } from "../domain/ports.ts";
import { describeRows } from "./rows-contract.ts";
import { openSqliteProfileStore } from "./sqlite.ts";

describeRows("SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  const { identities, profiles, steps } = await openSqliteProfileStore({ database, encodeLane: laneRows });
  return {
    identities: {
      ...identities,
      save: async (workspaceId, rows) => void await steps.commit(stepOf({ workspaceId, identities: rows })),
      saveOrigins: async (partition, through, origins) => {
        const workspaces = origins.map(([workspaceId, own]) =>
          ({ ...stepOf({}).workspaces[0], workspaceId, origins: own }) as WorkspaceStep
        );
        await steps.commit({ ...stepOf({}), partition, through, workspaces });
      },
      forgetSetAside: (place) => steps.forgetSetAside(place),
      setAside: async (setAside) => void await steps.commit({ ...stepOf({}), setAside }),
    },
    profiles: {
      ...profiles,
      save: ({ workspaceId, users, frozen, journal, held, heldMore }) => {
        const states = new Map(Array.from(users, ([id, { profile }]) => [id, profile]));
        return steps.commit(stepOf({ workspaceId, profiles: states, frozen, journal, held, heldMore }));
      },
      forgetMerges: async (workspaceId, ids) =>
        void await steps.commit(stepOf({ workspaceId, frozen: new Map(ids.map((id) => [id, null])) })),
    },
    now: Date.UTC(2026, 0, 1),
    close: () => database.close(),
  };
});

function stepOf(parts: Partial<WorkspaceStep>): Step {
  const empty = { identities: new Map(), profiles: new Map(), frozen: new Map(), journal: new Map(), held: new Map(), heldMore: new Map() };
  return { partition: 0, through: 1, workspaces: [{ workspaceId: "", ...empty, consent: [], ...parts }], setAside: [] };
}
