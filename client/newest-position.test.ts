/** Which of many answers a client's reads must see: the one furthest along the log, in whatever order the answers came. */
import { expect, test } from "vitest";
import { positionToToken } from "../platform/intake/position.ts";
import { openNewestPosition } from "./newest-position.ts";

function place(sequence: number, partition = 3): string {
  return positionToToken({ partition, sequence });
}

test("of writes under way together the furthest counts, not the last to answer", () => {
  const newest = openNewestPosition();
  const [one, two, three] = [newest.sent(), newest.sent(), newest.sent()];
  two(place(1_000), false);
  one(place(999), false);
  expect(newest.token()).toBe(place(1_000));
  three(place(1_001), false);
  expect(newest.token()).toBe(place(1_001));
});

test("a repeat that is answered with the first answer takes nothing back", () => {
  const newest = openNewestPosition();
  newest.sent()(place(20), false);
  newest.sent()(place(10), true);
  expect(newest.token()).toBe(place(20));
});

test("a later write with a lower place shows that the log is another one", () => {
  const newest = openNewestPosition();
  newest.sent()(place(5_000), false);
  newest.sent()(place(7), false);
  expect(newest.token()).toBe(place(7));
  newest.sent()(place(1, 2), false);
  expect(newest.token()).toBe(place(1, 2));
});

test("a text of another form is taken as the last answer gave it", () => {
  const newest = openNewestPosition();
  newest.sent()("p-1", false);
  newest.sent()("p-2", false);
  expect(newest.token()).toBe("p-2");
});

test("a place that is forgotten is not sent again, unless a newer one has come since", () => {
  const newest = openNewestPosition();
  newest.sent()(place(9), false);
  newest.forget(place(8));
  expect(newest.token()).toBe(place(9));
  newest.forget(place(9));
  expect(newest.token()).toBe("");
  newest.sent()(place(3), false);
  expect(newest.token()).toBe(place(3));
});
