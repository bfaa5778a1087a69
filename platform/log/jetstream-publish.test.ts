/** What a failed publish means, by what the server or the client said. */
import type { Msg, MsgHdrs } from "nats";
import { describe, expect, test } from "vitest";
import type { JetStreamConnection } from "./jetstream-connection.ts";
import { isBatchCheaper, publishTogether, WrongLastSequence } from "./jetstream-publish.ts";

/** A connection that answers a request with `answer`, or fails it with that, and keeps what was sent. */
function answering(answer: object | Error, up = true) {
  const sent: { subject: string; batch: string[]; expected: string }[] = [];
  function keep(subject: string, headers?: MsgHdrs): void {
    const batch = ["Nats-Batch-Sequence", "Nats-Batch-Commit"].map((key) => headers?.get(key) ?? "");
    sent.push({ subject, batch, expected: headers?.get("Nats-Expected-Last-Subject-Sequence") ?? "" });
  }
  const connection: Pick<JetStreamConnection, "up" | "publish" | "request"> = {
    up,
    publish: (subject, _, headers) => keep(subject, headers),
    async request(subject, _, headers) {
      keep(subject, headers);
      if (answer instanceof Error) throw answer;
      return { json: () => answer } as unknown as Msg;
    },
  };
  return { connection: connection as JetStreamConnection, sent };
}

const [one, two] = [{ subject: "s.0", body: new Uint8Array(1) }, {
  subject: "s.1",
  body: new Uint8Array(2),
  headers: { "Nats-Expected-Last-Subject-Sequence": "7" },
}];
const failures: readonly [string, object | Error, object][] = [
  ["the stream is full", apiError(10077, 503, "maximum bytes exceeded"), { reason: "LOG_FULL" }],
  ["the server has no room", apiError(10023, 503, "insufficient resources"), { reason: "LOG_FULL" }],
  ["the account has no room", apiError(10002, 400, "resource limits exceeded for account"), { reason: "LOG_FULL" }],
  ["the batch was given up", apiError(10176, 400, "atomic publish batch is incomplete"), { reason: "LOG_UNAVAILABLE" }],
  ["too many batches are open", apiError(10210, 429, "atomic publish too many inflight"), { reason: "LOG_UNAVAILABLE" }],
  ["the stream is offline", apiError(10118, 500, "stream is offline"), { reason: "LOG_UNAVAILABLE" }],
  ["the disk failed under way", apiError(10077, 503, "input/output error"), { reason: "OUTCOME_UNKNOWN" }],
  ["nobody is there", Object.assign(new Error("503"), { code: "503" }), { reason: "LOG_UNAVAILABLE" }],
  ["no answer came", Object.assign(new Error("TIMEOUT"), { code: "TIMEOUT" }), { reason: "OUTCOME_UNKNOWN" }],
  ["the connection was lost", new Error("lost"), { reason: "OUTCOME_UNKNOWN" }],
];

describe("publishTogether()", () => {
  test.each(failures)("when %s", async (_, answer, reason) => {
    await expect(publishTogether(answering(answer).connection, [one, two])).rejects.toMatchObject(reason);
  });

  test.each([10071, 10164])("throws WrongLastSequence for the server's error %i", async (code) => {
    await expect(publishTogether(answering(apiError(code, 400, "wrong last sequence")).connection, [one])).rejects.toBeInstanceOf(
      WrongLastSequence,
    );
  });

  test("sends nothing while the connection is down", async () => {
    const { connection, sent } = answering({ seq: 1 }, false);
    await expect(publishTogether(connection, [one])).rejects.toMatchObject({ reason: "LOG_UNAVAILABLE" });
    expect(sent).toEqual([]);
  });

  test("sends one message as it is, and gives its sequence", async () => {
    const { connection, sent } = answering({ seq: 9 });
    expect(await publishTogether(connection, [one])).toBe(9);
    expect(sent).toEqual([{ subject: "s.0", batch: ["", ""], expected: "" }]);
  });

  test("sends several as one batch in their order, and gives the sequence of the first", async () => {
    const { connection, sent } = answering({ seq: 9, count: 3 });
    expect(await publishTogether(connection, [one, two, one])).toBe(7);
    expect(sent).toEqual([
      { subject: "s.0", batch: ["1", ""], expected: "" },
      { subject: "s.1", batch: ["2", ""], expected: "7" },
      { subject: "s.0", batch: ["3", "1"], expected: "" },
    ]);
  });

  test("is unknown when the server counts other messages than were sent, as one without batches would", async () => {
    await expect(publishTogether(answering({ seq: 9 }).connection, [one, two])).rejects.toMatchObject({ reason: "OUTCOME_UNKNOWN" });
  });
});

test.each([[1, 1, false], [8, 1, false], [9, 1, true], [1, 3, false], [2, 3, true]])(
  "%i messages of a stream with %i replicas are cheaper as a batch: %s",
  (messages, replicas, expected) => expect(isBatchCheaper(messages, replicas)).toBe(expected),
);

function apiError(err_code: number, code: number, description: string): object {
  return { error: { err_code, code, description } };
}
