/** What /readyz of the profile part says of readers that do not get on. */
import { expect, test } from "vitest";
import type { Reading } from "../../platform/lane/read-on.ts";
import { firstTrouble } from "./mesh-readers.ts";

const well: Pick<Reading, "trouble"> = { trouble: () => undefined };

test("a reader that does not get on is named by its partition or lane, with why", () => {
  expect(firstTrouble(new Map([["resolve-0", well], ["apply-3", well]]))).toBeUndefined();
  const owned = new Map<string, Pick<Reading, "trouble">>([["resolve-0", well], ["apply-3", {
    trouble: () => "an unexpected error, see the log",
  }]]);
  expect(firstTrouble(owned)).toBe("apply-3: an unexpected error, see the log");
});
