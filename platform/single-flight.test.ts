/** Sharing a question: as fresh as one's own, never more than one under way. */
import { expect, test } from "vitest";
import { singleFlight } from "./single-flight.ts";

function underTest() {
  const asked: { key: string; answer: PromiseWithResolvers<number> }[] = [];
  const ask = singleFlight((key: string) => {
    const answer = Promise.withResolvers<number>();
    asked.push({ key, answer });
    return answer.promise;
  });
  return { asked, ask };
}

test("singleFlight() gives nobody the answer to a question that was put before the call", async () => {
  const { asked, ask } = underTest();
  const first = ask("a");
  const [second, third] = [ask("a"), ask("a")];
  expect(asked).toHaveLength(1);
  asked[0]?.answer.resolve(1);
  expect(await first).toBe(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toHaveLength(2);
  const fourth = ask("a");
  asked[1]?.answer.resolve(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  await new Promise((resolve) => setImmediate(resolve));
  asked[2]?.answer.resolve(3);
  expect(await fourth).toBe(3);
  expect(asked).toHaveLength(3);
});

test("singleFlight() keeps keys apart", async () => {
  const { asked, ask } = underTest();
  const answers = [ask("a"), ask("b")];
  expect(asked.map(({ key }) => key)).toEqual(["a", "b"]);
  asked[1]?.answer.resolve(2);
  asked[0]?.answer.resolve(1);
  expect(await Promise.all(answers)).toEqual([1, 2]);
});

test("singleFlight() fails those who asked with the failed question, and asks the next", async () => {
  const { asked, ask } = underTest();
  const first = ask("a");
  const second = ask("a");
  asked[0]?.answer.reject(new Error("lost"));
  await expect(first).rejects.toThrow("lost");
  await new Promise((resolve) => setImmediate(resolve));
  asked[1]?.answer.resolve(2);
  expect(await second).toBe(2);
});
