/** Table tests of the resolver's rules for /users/track. */
import { describe, expect, test } from "vitest";
import { createWorkspace, event } from "./resolver-workspace.fixture.ts";

describe("resolveTrack()", () => {
  test("an unknown external_id is created (track rule 2)", () => {
    const workspace = createWorkspace();
    const [first] = workspace.run(event({ by: "externalId", id: "a" }));
    const id = workspace.idOf({ by: "externalId", id: "a" });
    expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect(first?.profiles.map((record) => [record.userId, record.change.type])).toEqual([
      [id, "create"],
      [id, "identity"],
      [id, "event"],
    ]);
    const [second] = workspace.run(event({ by: "externalId", id: "a" }));
    expect(second?.profiles.map((record) => record.change.type)).toEqual(["event"]);
  });
});
