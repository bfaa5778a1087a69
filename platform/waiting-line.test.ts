/** Turns go to those who came first, and every other one to who is urgent. */
import { expect, test } from "vitest";
import { WaitingLine } from "./waiting-line.ts";

/** The order in which all of them have their turns; those in capitals are urgent, and those with an exclamation mark came in before all who waited. */
async function turnsOf(names: readonly string[]): Promise<string> {
  const line = new WaitingLine();
  const order: string[] = [];
  const all = names.map(async (name) => {
    await (name.endsWith("!") ? line.waitFirst() : line.wait(() => name === name.toUpperCase()));
    order.push(name);
  });
  while (line.next()) await Promise.resolve();
  await Promise.all(all);
  return order.join(" ");
}

test.each([
  { what: "who comes first is first", came: "a b c", order: "a b c" },
  { what: "who is urgent overtakes", came: "a b C d", order: "C a b d" },
  { what: "others have every other turn, however many are urgent", came: "a b C D E", order: "C a D b E" },
  { what: "who is urgent and first has overtaken nobody", came: "A B c", order: "A B c" },
  { what: "who goes before all does so also where somebody is urgent", came: "a B c! d!", order: "d! c! B a" },
])("next(): $what", async ({ came, order }) => {
  expect(await turnsOf(came.split(" "))).toBe(order);
});

test("next() asks at each turn who is urgent", async () => {
  const line = new WaitingLine();
  let isUrgent = false;
  const order: string[] = [];
  const all = ["a", "b", "c"].map((name) => line.wait(() => isUrgent && name === "c").then(() => order.push(name)));
  line.next();
  isUrgent = true;
  while (line.next());
  await Promise.all(all);
  expect(order).toEqual(["a", "c", "b"]);
  expect([line.isEmpty, line.next()]).toEqual([true, false]);
});
