/** How many rows a page asks for. */
import { expect, test } from "vitest";
import { Refusal } from "../refusal.ts";
import { pagesOf, type Session } from "./session.ts";

/** A session whose pages have a row each, but for those that `fails` names by their place; and how many rows each was asked for. */
function openSession(pages: number, fails: (nth: number) => boolean) {
  const asked: number[] = [];
  let given = 0;
  const page: Session["page"] = async (_, { rowsMax }) => {
    asked.push(rowsMax);
    if (fails(asked.length)) throw new Refusal("STORE_UNAVAILABLE", "The store did not answer in time");
    given += 1;
    return { rows: [{ given }], next: given < pages ? String(given) : undefined };
  };
  return { session: { page } as Partial<Session> as Session, asked };
}

async function read(session: Session): Promise<number> {
  let rows = 0;
  for await (const page of pagesOf(session, { cql: "SELECT", values: {} }, 1_000)) rows += page.length;
  return rows;
}

test("a store that does not answer is asked a few times, for fewer rows each time", async () => {
  const { session, asked } = openSession(1, () => true);
  await expect(read(session)).rejects.toThrow("did not answer");
  expect(asked).toEqual([1_000, 100, 10, 1]);
});

test("a read that was slow once asks for as many rows as before again", async () => {
  const { session, asked } = openSession(100, (nth) => nth <= 2);
  expect(await read(session)).toBe(100);
  expect(asked.slice(0, 4)).toEqual([1_000, 100, 10, 10]);
  expect(asked.at(-1)).toBe(1_000);
});
