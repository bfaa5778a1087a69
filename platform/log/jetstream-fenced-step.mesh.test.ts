/** Fenced steps in a real JetStream: all or none, one of two writers, and what a log on the same stream reads. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsServer, startNats } from "../../test/servers/nats.ts";
import { describeWith } from "../../test/servers/require.ts";
import { systemClock } from "../clock.ts";
import { silentLogger } from "../logger.ts";
import type { FencedSteps, Step, StepOutcome } from "./fenced-step.ts";
import { openJetStreamSteps } from "./jetstream-fenced-step.ts";
import { checkpointSubject, partitionSubject } from "./jetstream-stream.ts";
import { openJetStreamLog } from "./jetstream.ts";
import type { Log } from "./log.ts";

await describeWith(["nats"], "openJetStreamSteps()", () => {
  let server: NatsServer;
  const opened: { close(): Promise<void> }[] = [];
  let made = 0;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(async () => {
    for (const one of opened) await one.close();
    await server.stop();
  });

  async function open(further: { bytesMax?: number } = {}): Promise<{ name: string; steps: FencedSteps; rival: FencedSteps; log: Log }> {
    const name = `steps_${made += 1}`;
    const options = { servers: [server.url], name, partitions: 4, replicas: 1, bytesMax: 64 * 1024 ** 2, logger: silentLogger, ...further };
    const [steps, rival] = [await openJetStreamSteps(options), await openJetStreamSteps(options)];
    const log = await openJetStreamLog({ ...options, clock: systemClock });
    opened.push(steps, rival, log);
    return { name, steps, rival, log };
  }

  test("publishStep() gives the sequence of each message, and of the checkpoint as the next fence", async () => {
    const { name, steps, log } = await open();
    const first = accepted(await steps.publishStep(stepOf(name, { text: "a", lanes: [0, 2, 3], expectedLast: 0 })));
    expect(first.sequences).toEqual([1, 2, 3, 4]);
    expect(first.sequence).toBe(4);
    expect(await steps.checkpoint(checkpointSubject(name, 0))).toEqual({ sequence: 4, body: Buffer.from("a") });
    const second = accepted(await steps.publishStep(stepOf(name, { text: "b", lanes: [2], expectedLast: 4 })));
    expect(second.sequences).toEqual([5, 6]);
    expect(await log.read(2, 0, roomy)).toEqual([{ sequence: 2, body: bytesOf("a 2") }, { sequence: 5, body: bytesOf("b 2") }].map(asRead));
    expect(await log.tail(1)).toBe(0);
  });

  test("publishStep() takes a step that is nothing but its checkpoint", async () => {
    const { name, steps, rival } = await open();
    expect(accepted(await steps.publishStep(stepOf(name, { text: "a", lanes: [], expectedLast: 0 }))).sequence).toBe(1);
    expect(await rival.publishStep(stepOf(name, { text: "b", lanes: [], expectedLast: 0 }))).toEqual({ kind: "refused" });
  });

  test("publishStep() refuses the whole step of a writer that lost its place", async () => {
    const { name, steps, rival, log } = await open();
    await steps.publishStep(stepOf(name, { text: "a", lanes: [0], expectedLast: 0 }));
    for (const expectedLast of [0, 1, 3]) {
      expect(await rival.publishStep(stepOf(name, { text: "stale", lanes: [0, 1], expectedLast }))).toEqual({ kind: "refused" });
    }
    expect(await log.tail(0)).toBe(1);
    expect(await log.tail(1)).toBe(0);
    expect((await rival.checkpoint(checkpointSubject(name, 0)))?.sequence).toBe(2);
  });

  test("publishStep() lets exactly one of two racing writers land, whole", async () => {
    const { name, steps, rival, log } = await open();
    let expectedLast = 0;
    const won: string[] = [];
    for (let round = 0; round < 50; round += 1) {
      const outcomes = await Promise.all([steps, rival].map(async (writer, index) => {
        const text = `${round} of ${index}`;
        const outcome = await writer.publishStep(stepOf(name, { text, lanes: [0, 1, 2, 3], expectedLast }));
        if (outcome.kind === "accepted") won.push(text);
        return outcome;
      }));
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["accepted", "refused"]);
      const landed = outcomes.find((outcome) => outcome.kind === "accepted");
      expectedLast = landed?.kind === "accepted" ? landed.sequence : 0;
    }
    for (const lane of [0, 1, 2, 3]) {
      const texts = (await log.read(lane, 0, roomy)).map(({ body }) => new TextDecoder().decode(body));
      expect(texts).toEqual(won.map((text) => `${text} ${lane}`));
    }
  });

  test("publishStep() of other checkpoints interleaves freely, each step side by side", async () => {
    const { name, steps, rival } = await open();
    const chains = [0, 1, 2, 3, 4, 5].map(async (place) => {
      let expectedLast = 0;
      for (let round = 0; round < 10; round += 1) {
        const writer = place % 2 === 0 ? steps : rival;
        const step = accepted(await writer.publishStep(stepOf(name, { text: "x", lanes: [0, 1, 2], expectedLast, place })));
        expect(step.sequences).toEqual([0, 1, 2, 3].map((index) => (step.sequences[0] ?? 0) + index));
        expectedLast = step.sequence;
      }
    });
    await Promise.all(chains);
  });

  test("publishStep() throws for a step without its checkpoint, or with two, and refuses a message that is too large by now", async () => {
    const { name, steps } = await open();
    const subject = checkpointSubject(name, 0);
    const checkpoint = { subject, body: bytesOf("x") };
    for (const messages of [[], [checkpoint, checkpoint]]) {
      await expect(steps.publishStep({ messages, checkpointSubject: subject, expectedLast: 0 })).rejects.toThrow(RangeError);
    }
    const large = [{ subject: `${name}.0`, body: new Uint8Array(1024 * 1024) }, checkpoint];
    await expect(steps.publishStep({ messages: large, checkpointSubject: subject, expectedLast: 0 })).rejects.toMatchObject({
      reason: "LOG_UNAVAILABLE",
    });
    expect(await steps.checkpoint(subject)).toBeUndefined();
  });

  test("publishStep() leaves a reserve: announcements and positions are taken when no step is, and trimming makes room", async () => {
    const { name, steps, log } = await open({ bytesMax: 1_000_000 });
    let expectedLast = 0;
    async function fill(): Promise<string> {
      for (let step = 0; step < 100; step += 1) {
        const outcome = await steps.publishStep(stepOf(name, { text: "x".repeat(10_000), lanes: [0, 1], expectedLast })).catch(reasonOf);
        if (typeof outcome === "string") return outcome;
        expectedLast = accepted(outcome).sequence;
      }
      return "never full";
    }
    expect(await fill()).toBe("LOG_FULL");
    const announced = await log.append(2, bytesOf("x".repeat(20_000)));
    expect(announced).toBeGreaterThan(expectedLast);
    const position = stepOf(name, { text: "position", lanes: [], expectedLast: 0, place: 1 });
    expect(await steps.publishStep(position)).toMatchObject({ kind: "accepted" });
    await log.trim(0, expectedLast);
    await expect.poll(() => steps.publishStep(stepOf(name, { text: "y", lanes: [0], expectedLast })).then(({ kind }) => kind, reasonOf))
      .toBe("accepted");
  });

  test("publishStep() refuses LOG_FULL and writes nothing of the step", async () => {
    const { name, steps, log } = await open({ bytesMax: 100_000 });
    const step = stepOf(name, { text: "x".repeat(40_000), lanes: [0, 1, 2], expectedLast: 0 });
    await expect(steps.publishStep(step)).rejects.toMatchObject({ reason: "LOG_FULL" });
    expect(await log.tail(0)).toBe(0);
    expect(await steps.publishStep(stepOf(name, { text: "small", lanes: [0], expectedLast: 0 }))).toMatchObject({ kind: "accepted" });
  });

  test("trimCheckpoints() keeps the one that is named, and the fence holds", async () => {
    const { name, steps } = await open();
    let expectedLast = 0;
    for (const text of ["a", "b", "c"]) {
      expectedLast = accepted(await steps.publishStep(stepOf(name, { text, lanes: [0], expectedLast }))).sequence;
    }
    await steps.trimCheckpoints(checkpointSubject(name, 0), expectedLast);
    expect(await steps.checkpoint(checkpointSubject(name, 0))).toEqual({ sequence: expectedLast, body: Buffer.from("c") });
    expect(await steps.publishStep(stepOf(name, { text: "stale", lanes: [0], expectedLast: 0 }))).toEqual({ kind: "refused" });
    expect(await steps.publishStep(stepOf(name, { text: "d", lanes: [0], expectedLast }))).toMatchObject({ kind: "accepted" });
  });

  test("publishStep() is unknown while the server hangs; the checkpoint tells afterwards which of the two landed", async () => {
    const { name, steps, rival } = await open();
    const first = accepted(await steps.publishStep(stepOf(name, { text: "a", lanes: [0], expectedLast: 0 })));
    await server.kill("SIGSTOP");
    const hung = await steps.publishStep(stepOf(name, { text: "hung", lanes: [0, 1], expectedLast: first.sequence }));
    expect(hung.kind).toBe("unknown");
    await server.kill("SIGCONT");
    const next = await rival.publishStep(stepOf(name, { text: "next", lanes: [0, 1], expectedLast: first.sequence }));
    const last = await rival.checkpoint(checkpointSubject(name, 0));
    expect(new TextDecoder().decode(last?.body)).toBe(next.kind === "accepted" ? "next" : "hung");
    expect(await rival.publishStep(stepOf(name, { text: "on", lanes: [0], expectedLast: last?.sequence ?? 0 }))).toMatchObject({
      kind: "accepted",
    });
  });

  test("publishStep() leaves no part of a step behind, and loses none that was accepted, over kill -9", { timeout: 60_000 }, async () => {
    const { name, steps, log } = await open();
    const told = new Map<string, string>();
    const load = { running: true };
    const chain = (async () => {
      for (let count = 0; load.running; count += 1) {
        // What is refused is refused at once; the loop must not starve the connection
        await new Promise((resolve) => setImmediate(resolve));
        const last = await steps.checkpoint(checkpointSubject(name, 0)).catch(() => "away" as const);
        if (last === "away") continue;
        const step = stepOf(name, { text: String(count), lanes: [0, 1, 2, 3], expectedLast: last?.sequence ?? 0 });
        told.set(String(count), await steps.publishStep(step).then(({ kind }) => kind, () => "not written"));
      }
    })();
    for (let round = 0; round < 4; round += 1) {
      const before = told.size;
      await expect.poll(() => told.size, { timeout: 20_000 }).toBeGreaterThan(before + 20);
      await server.restart("SIGKILL");
    }
    load.running = false;
    await chain;
    await expect.poll(() => log.tail(0).then(() => "back", () => "away"), { timeout: 5_000 }).toBe("back");
    const lanes = await Promise.all([0, 1, 2, 3].map(async (lane) => {
      const records = await log.read(lane, 0, roomy);
      return records.map(({ body }) => new TextDecoder().decode(body).slice(0, -2));
    }));
    for (const lane of lanes) expect(lane).toEqual(lanes[0]);
    expect(new Set(lanes[0]).size).toBe(lanes[0]?.length);
    for (const [text, kind] of told) {
      if (kind === "accepted") expect(lanes[0]).toContain(text);
      if (kind !== "accepted" && kind !== "unknown") expect(lanes[0]).not.toContain(text);
    }
  });
});

const roomy = { max: 1_000, bytesMax: 10_000_000 };

function reasonOf(error: unknown): string {
  return (error as { reason?: string }).reason ?? String(error);
}

function stepOf(name: string, parts: { text: string; lanes: readonly number[]; expectedLast: number; place?: number }): Step {
  const subject = checkpointSubject(name, parts.place ?? 0);
  const lanes = parts.lanes.map((lane) => ({ subject: partitionSubject(name, lane), body: bytesOf(`${parts.text} ${lane}`) }));
  return { messages: [...lanes, { subject, body: bytesOf(parts.text) }], checkpointSubject: subject, expectedLast: parts.expectedLast };
}

function accepted(outcome: StepOutcome): StepOutcome & { kind: "accepted" } {
  if (outcome.kind !== "accepted") throw new Error(`Expected the step to be accepted, it is ${outcome.kind}`);
  return outcome;
}

function asRead(record: { sequence: number; body: Uint8Array }) {
  return { sequence: record.sequence, body: expect.objectContaining({ length: record.body.length }) };
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
