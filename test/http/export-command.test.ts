/** heddle export of a whole workspace beside a running server, in one process and in the mesh. */
import { expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { fresh, heddleSuite } from "../suite.ts";

const suite = heddleSuite();

test("heddle export gives every user as the API does", async () => {
  const ids = Array.from({ length: 60 }, () => fresh());
  await suite.track({ attributes: ids.map((external_id) => ({ external_id, color: "red" })) });
  const users = [...await suite.find({ external_ids: ids.slice(0, 50) }), ...await suite.find({ external_ids: ids.slice(50) })];
  const { code, output, errors } = await runCommand(["export", "--workspace", "demo"], suite.heddle.commandEnv);
  expect(code, errors).toBe(0);
  const exported = output.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(byId(exported)).toEqual(byId(users));
});

function byId(users: readonly object[]): object[] {
  return users.toSorted((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
}
