/** Ten thousand names that mean something to a broker, Redis or a database stay names there (reliability S7, S8). */
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bucketOfUser } from "../platform/user-number.ts";
import { keyed } from "../gateway/guards/spend.ts";
import { recordingSession } from "../platform/cassandra/recording-session.fixture.ts";
import { fakeClock } from "../platform/clock.fixture.ts";
import { checkEvent } from "../platform/events/events.ts";
import { eventSubject } from "../platform/events/jetstream.ts";
import { partitionSubject } from "../platform/log/jetstream-stream.ts";
import { partitionOf } from "../platform/log/partition.ts";
import { firstKey } from "../services/profile/domain/identity/user-names.ts";
import { openCassandraProfileStore } from "../services/profile/store/cassandra.ts";

const cases = { numRuns: 10_000 };
const parts = [..."ab.*>${}:;'\"-/?%= \t\r\n\u0000\u001b\u202eé", "limit:", "--", "/*", "$JS.API.", "%2E", "\ud800", "x".repeat(300)];
/** Made of what separates words in some language, and of anything. */
const hostileName = fc.oneof(
  fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 12 }).map((texts) => texts.join("")),
  fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
);
/** What may be declared as the id of a workspace or a company. */
const declaredId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,20}$/);

test("eventSubject() has one token for any scope that it takes, and another for every other scope", () => {
  const subject = "profile.user.merged.v1";
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(fc.oneof(hostileName, declaredId), (scope) => {
      try {
        checkEvent({ subject, scope, eventId: "e", key: "k", body: new Uint8Array() });
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        return;
      }
      const named = eventSubject("events", { subject, scope });
      expect(named).toMatch(/^events\.profile\.user\.merged\.v1\.[A-Za-z0-9_%-]+$/);
      expect(seen.get(named) ?? scope).toBe(scope);
      seen.set(named, scope);
    }),
    cases,
  );
  expect(seen.size).toBeGreaterThan(1_000);
});

test("checkEvent() takes every id that may be declared", () => {
  fc.assert(
    fc.property(declaredId, (scope) => checkEvent({ subject: "a.b.v1", scope, eventId: "e", key: "k", body: new Uint8Array() })),
    cases,
  );
});

test("partitionSubject() says of a workspace nothing but a number", () => {
  fc.assert(
    fc.property(hostileName, (workspaceId) => {
      expect(partitionSubject("intake", partitionOf(workspaceId, 8))).toMatch(/^intake\.[0-7]$/);
    }),
    cases,
  );
});

test("keyed() gives every owner its own keys of Redis, all on one node", () => {
  const bucket = { capacity: 1, windowMs: 1 };
  const quota = { cost: 1, parts: [{ name: "second", bucket }, { name: "hour", bucket }] } as unknown as Parameters<typeof keyed>[1];
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(declaredId, (owner) => {
      for (const { key } of keyed(owner, quota)) {
        expect(key).toMatch(/^limit:\{[A-Za-z0-9_.-]+\}:(second|hour)$/);
        expect(seen.get(key) ?? owner).toBe(owner);
        seen.set(key, owner);
      }
    }),
    cases,
  );
});

test("a name of a user changes no statement of CQL, and is a value of it, whole", async () => {
  const schema = readFileSync(new URL("../services/profile/store/schema/schema.cql", import.meta.url), "utf8");
  const session = recordingSession([schema]);
  const { identities } = openCassandraProfileStore({ session, clock: fakeClock(), partitions: 4, bucketOf: bucketOfUser });
  async function statementsFor(name: string, workspaceId: string) {
    const keys = [
      firstKey({ by: "externalId", id: name }),
      firstKey({ by: "alias", label: name, name }),
      firstKey({ by: "email", address: name }),
    ];
    const before = session.calls.length;
    await identities.load(workspaceId, keys);
    return session.calls.slice(before).flat();
  }
  const plain = new Set((await statementsFor("plain", "w")).map(({ cql }) => cql));
  await fc.assert(
    fc.asyncProperty(hostileName, hostileName, async (name, workspaceId) => {
      const statements = await statementsFor(name, workspaceId);
      expect(statements).toHaveLength(3);
      for (const { cql, values } of statements) {
        expect(plain.has(cql)).toBe(true);
        const bound = Object.values(values);
        expect(bound).toContain(workspaceId);
        expect(bound.some((value) => typeof value === "string" && value.includes(name))).toBe(true);
      }
    }),
    cases,
  );
});
