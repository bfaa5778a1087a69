/** What makes a stream unfit to be a log, one setting at a time. */
import { describe, expect, test } from "vitest";
import { type StreamConfig, streamProblems } from "./jetstream-stream.ts";

const shape = { name: "intake", partitions: 64, replicas: 3, bytesMax: 1_000 };
const fit: StreamConfig = {
  subjects: ["intake.>"],
  storage: "file",
  retention: "limits",
  discard: "new",
  max_age: 0,
  max_msgs: -1,
  max_msgs_per_subject: -1,
  allow_atomic: true,
  allow_direct: true,
  metadata: { heddle_partitions: "64", heddle_epoch: "0" },
};

describe("streamProblems()", () => {
  test("finds nothing in a stream as Heddle makes it, with what else the server adds", () => {
    expect(streamProblems(fit, shape)).toEqual([]);
    expect(streamProblems({ ...fit, max_bytes: 5, num_replicas: 1, metadata: { ...fit.metadata, "_nats.ver": "2.12" } }, shape)).toEqual(
      [],
    );
    expect(streamProblems({ ...fit, metadata: { heddle_partitions: "64", heddle_epoch: "2" } }, { ...shape, epoch: 1 })).toEqual([]);
  });

  const cases: readonly [string, StreamConfig, RegExp][] = [
    ["drops by age", { max_age: 1 }, /max_age/],
    ["drops the oldest", { discard: "old" }, /discards old/],
    ["forgets at a restart", { storage: "memory" }, /"memory", expected "file"/],
    ["forgets what was read", { retention: "workqueue" }, /"workqueue", expected "limits"/],
    ["forgets unread news", { retention: "interest" }, /"interest", expected "limits"/],
    ["is bounded in messages", { max_msgs: 10 }, /max_msgs/],
    ["is bounded in messages of a subject", { max_msgs_per_subject: 1 }, /max_msgs_per_subject/],
    ["takes no batches", { allow_atomic: false }, /allow_atomic/],
    ["cannot be read directly", { allow_direct: false }, /allow_direct/],
    ["cannot be trimmed", { deny_purge: true }, /purging/],
    ["is sealed", { sealed: true }, /sealed/],
    ["is a copy", { mirror: { name: "other" } }, /mirrors/],
    ["takes in others", { sources: [{ name: "other" }] }, /sources/],
    ["has other subjects", { subjects: ["intake.>", "more"] }, /subjects are "intake.>,more"/],
    ["was made for fewer partitions", { metadata: { heddle_partitions: "32", heddle_epoch: "0" } }, /for 32 partitions, expected 64/],
    ["was not made by Heddle", { metadata: {} }, /for no partitions/],
  ];
  test.each(cases)("finds that a stream %s", (_, change, problem) => {
    const problems = streamProblems({ ...fit, ...change }, shape);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });

  test("finds that a stream is of an earlier epoch", () => {
    expect(streamProblems(fit, { ...shape, epoch: 1 })).toEqual(["it was made in epoch 0, expected 1"]);
  });
});
