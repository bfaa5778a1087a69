/** Who an address means after an undo, where others came and went in between. */
import { expect, test } from "vitest";
import { attributes, byAlias, byEmail, byId, createWorkspace, event } from "./resolver-workspace.fixture.ts";

test("resolveUndo() leaves who took the address after both sides and a third user had left it the latest", () => {
  const email = "y@b.c";
  const workspace = createWorkspace();
  workspace.run(
    attributes(byEmail(email)),
    event(byId("ann")),
    attributes(byId("cyd"), { email }),
    {
      type: "mergeUsers",
      jobId: "j",
      updates: [{
        source: { key: byEmail(email), prioritization: ["least_recently_updated"] },
        target: { key: byId("ann"), prioritization: [] },
      }],
    },
    attributes(byId("ann"), { email: null }),
    attributes(byId("cyd"), { email: "x@b.c" }),
    attributes(byAlias("crm", "n"), { email, updateOnly: false }),
    { type: "undoMerge", jobId: "j", index: 0 },
  );
  expect(workspace.idOf(byEmail(email))).toBe(workspace.idOf(byAlias("crm", "n")));
});
