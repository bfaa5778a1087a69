/** The driver and the migrations on a real Cassandra: values, batches, pages, locks, and a server that hangs or dies. */
import { connect, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CassandraServer, startCassandra } from "../../test/servers/cassandra.ts";
import { freePorts } from "../../test/servers/server-process.ts";
import { describeWith } from "../../test/servers/require.ts";
import { systemClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { type Authority, certificateFolder, openAuthority } from "../rpc/certificates.fixture.ts";
import type { CassandraConfig } from "../mesh-config.ts";
import { openCassandra } from "./driver.ts";
import { createKeyspace, currentVersion, migrate, type Migration } from "./migrate.ts";
import { readAll, type Session, type Statement, type Value } from "./session.ts";

const patient = { timeout: 120_000 };
const put = "INSERT INTO t (a, c, s, n, b, l) VALUES (:a, :c, :s, :n, :b, :l) USING TIMESTAMP :stamp";
const select = "SELECT s, n, b, l FROM t WHERE a = :a";
const empty = { s: null, n: null, b: null, l: null };
const migrations: Migration[] = [{
  version: 1,
  description: "one",
  statements: [
    "CREATE TABLE IF NOT EXISTS t (a text, c int, s text, n bigint, b blob, l frozen<list<text>>, PRIMARY KEY ((a), c))",
    "CREATE TABLE IF NOT EXISTS u (a text, s text, PRIMARY KEY ((a)))",
  ],
  digest: "one",
}];

await describeWith(["cassandra"], "Cassandra", () => {
  const certificates = certificateFolder();
  afterAll(() => certificates.remove());

  describe("one server", () => {
    let authority: Authority;
    let server: CassandraServer;
    let patientConfig: CassandraConfig;
    let session: Session;
    beforeAll(async () => {
      // "periodic" loses what was answered in the last 100 ms before a kill: one node alone needs more
      authority = openAuthority(certificates.path, "authority");
      const tls = { ca: authority.cert, ...authority.issue("IP:127.0.0.1") };
      server = await startCassandra({ heapMegabytes: 1024, commitlogSync: "batch", tls });
      patientConfig = { contactPoints: [server.contactPoint], datacenter: server.datacenter, deadlineMs: limits.cassandraSchemaMsMax };
      const outside = openCassandra(patientConfig, systemClock);
      await createKeyspace(outside, "ks", { class: "NetworkTopologyStrategy", [server.datacenter]: 1 });
      await createKeyspace(outside, "ks", { class: "NetworkTopologyStrategy", [server.datacenter]: 1 });
      await outside.close();
      session = openCassandra({ ...patientConfig, keyspace: "ks" }, systemClock);
      await migrate({ session, migrations, owner: "first" });
    }, 240_000);
    afterAll(async () => {
      await session?.close();
      await server?.stop();
    }, 60_000);

    test("a session over TLS works where each side is vouched for", patient, async () => {
      const tls = { ca: authority.cert, ...authority.issue("DNS:profile") };
      expect(await overTls(tls)).toEqual([]);
    });

    for (
      const [name, tls] of [
        ["in the clear", () => undefined],
        ["without a certificate", () => ({ ca: authority.cert })],
        [
          "with a certificate of another authority",
          () => ({ ca: authority.cert, ...openAuthority(certificates.path, "other").issue("DNS:x") }),
        ],
        [
          "that trusts another authority",
          () => ({ ca: openAuthority(certificates.path, "other").cert, ...authority.issue("DNS:profile") }),
        ],
        ["that trusts no authority but those of the machine", () => authority.issue("DNS:profile")],
      ] as const
    ) {
      test(`a session ${name} gets nothing of a port that asks for TLS`, patient, async () => {
        expect(await overTls(tls())).toBe("STORE_UNAVAILABLE");
      });
    }

    async function overTls(tls: CassandraConfig["tls"]): Promise<unknown> {
      const contactPoints = [`127.0.0.1:${server.tlsPort}`];
      const over = openCassandra({ ...patientConfig, contactPoints, keyspace: "ks", ...(tls && { tls }) }, systemClock);
      const answer = await over.execute(of(select, { a: "tls" })).catch(({ reason }) => reason);
      await over.close();
      return answer;
    }

    test("a session whose server was not there at first works when it is", patient, async () => {
      const [port = 0] = await freePorts(1);
      const late = openCassandra({ ...patientConfig, contactPoints: [`127.0.0.1:${port}`], keyspace: "ks" }, systemClock);
      const question = of(select, { a: "late" });
      for (let attempt = 0; attempt < 2; attempt += 1) {
        await expect(late.execute(question)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
      }
      const behind = Number(server.contactPoint.split(":")[1]);
      const door = createServer((socket) => {
        const onward = connect(behind, "127.0.0.1");
        for (const end of [socket, onward]) end.on("error", () => socket.destroy());
        socket.on("close", () => onward.destroy());
        socket.pipe(onward).pipe(socket);
      });
      door.listen(port, "127.0.0.1");
      await expect.poll(() => late.execute(question).catch(() => "away")).toEqual([]);
      await late.close();
      door.close();
    });

    test("execute() brings values back as they were, and ages decide", patient, async () => {
      const values = { s: "\u0000 ä \u{1f600}", n: 2n ** 62n, b: Uint8Array.of(0, 255), l: ["x", ""] };
      await session.execute(of(put, { ...empty, ...values, a: "values", c: 1, stamp: 2n ** 62n }));
      await session.execute(of(put, { ...empty, a: "values", c: 1, stamp: 2n ** 62n - 1n }));
      await session.execute(of(put, { ...empty, s: "", l: [], a: "values", c: 2, stamp: 1n }));
      const [one, two] = await session.execute(of(select, { a: "values" }));
      expect({ ...one, b: new Uint8Array(one?.["b"] as Uint8Array) }).toEqual(values);
      // The driver deletes the cell for an empty list, and keeps an empty text
      expect({ ...two }).toEqual({ ...empty, s: "" });
    });

    test("of one age a deletion wins over a value, and the greater value over the lesser", patient, async () => {
      const key = { a: "ties", c: 1 };
      for (const s of ["b", "c", "a"]) await session.execute(of(put, { ...empty, ...key, s, stamp: 7n }));
      expect((await session.execute(of(select, { a: "ties" })))[0]?.["s"]).toBe("c");
      await session.execute(of("DELETE FROM t USING TIMESTAMP :stamp WHERE a = :a", { a: "ties", stamp: 7n }));
      await session.execute(of(put, { ...empty, ...key, s: "d", stamp: 7n }));
      expect(await session.execute(of(select, { a: "ties" }))).toEqual([]);
    });

    test("conditional() writes all or nothing, by a condition on one of the rows", patient, async () => {
      const a = "conditional";
      const begin = of("INSERT INTO t (a, c, s) VALUES (:a, 1, 'first') IF NOT EXISTS", { a });
      const beside = of("INSERT INTO t (a, c, s) VALUES (:a, :c, 'beside')", { a, c: 2 });
      expect(await session.conditional([begin, beside])).toBe(true);
      expect(await session.conditional([begin, { ...beside, values: { a, c: 3 } }])).toBe(false);
      expect((await session.execute(of("SELECT s FROM t WHERE a = :a", { a }))).map((row) => row["s"])).toEqual(["first", "beside"]);
    });

    test("batch() writes tables of one key at once, with an age a statement", patient, async () => {
      const putU = "INSERT INTO u (a, s) VALUES (:a, :s) USING TIMESTAMP :stamp";
      await session.batch([
        of("DELETE FROM t USING TIMESTAMP :stamp WHERE a = :a", { a: "batch", stamp: 5n }),
        of(put, { ...empty, a: "batch", c: 1, s: "new", stamp: 6n }),
        of(put, { ...empty, a: "batch", c: 2, s: "old", stamp: 5n }),
        of(putU, { a: "batch", s: "u", stamp: 6n }),
      ]);
      expect((await session.execute(of(select, { a: "batch" }))).map((row) => row["s"])).toEqual(["new"]);
      expect((await session.execute(of("SELECT s FROM u WHERE a = :a", { a: "batch" }))).map((row) => row["s"])).toEqual(["u"]);
    });

    test("page() and readAll() walk a partition", patient, async () => {
      for (let c = 0; c < 25; c += 1) await session.execute(of(put, { ...empty, a: "pages", c, s: String(c), stamp: 1n }));
      const first = await session.page(of(select, { a: "pages" }), { rowsMax: 10 });
      expect([first.rows.length, typeof first.next]).toEqual([10, "string"]);
      const all = await readAll(session, of(select, { a: "pages" }), 10);
      expect(all.map((row) => row["s"])).toEqual(Array.from({ length: 25 }, (_, at) => String(at)));
    });

    test("a statement that is none is a fault, not a refusal", patient, async () => {
      await expect(session.execute(of("SELECT none FROM t WHERE a = :a", { a: "a" }))).rejects.toMatchObject({ name: "ResponseError" });
      await expect(session.execute(of(put, { ...empty, a: "a", c: "text", stamp: 1n }))).rejects.toBeInstanceOf(TypeError);
    });

    test("migrate() run twice at once: one does it, the other is refused or finds it done", patient, async () => {
      const more: Migration = {
        version: 2,
        description: "two",
        statements: ["ALTER TABLE u ADD IF NOT EXISTS more text", "ALTER TABLE u ADD IF NOT EXISTS more text"],
        digest: "two",
      };
      const all = [...migrations, more];
      const results = await Promise.allSettled(["one", "two"].map((owner) => migrate({ session, migrations: all, owner })));
      const done = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
      const refused = results.flatMap((result) => (result.status === "rejected" ? [(result.reason as { reason: string }).reason] : []));
      expect(done).toEqual([2]);
      expect(["STATE_CONFLICT", undefined]).toContain(refused[0]);
      expect(await currentVersion(session, all)).toBe(2);
      expect(await migrate({ session, migrations: all, owner: "three" })).toEqual([]);
    });

    test("a lock whose owner died ends by itself", patient, async () => {
      const take = "INSERT INTO schema_lock (name, owner) VALUES ('tables', 'dead') IF NOT EXISTS USING TTL 3";
      await session.execute({ cql: take, values: {}, isConditional: true });
      const ours = [...migrations, { version: 2, description: "two", statements: [], digest: "two" }];
      await expect(migrate({ session, migrations: ours, owner: "me" })).rejects.toMatchObject({ reason: "STATE_CONFLICT" });
      await expect.poll(() => migrate({ session, migrations: ours, owner: "me" }).catch(() => undefined), { timeout: 30_000 }).toEqual([]);
    });

    test("a server that hangs: reads are unavailable and writes unknown within 2.5 s, and all goes on after", patient, async () => {
      const quick = openCassandra({ contactPoints: [server.contactPoint], datacenter: server.datacenter, keyspace: "ks" }, systemClock);
      await quick.execute(of(select, { a: "values" }));
      await quick.execute(of(put, { ...empty, a: "hang", c: 0, stamp: 1n }));
      process.kill(server.pid, "SIGSTOP");
      // Not every thread stops at once
      await expect.poll(() => reasonOf(quick.execute(of(select, { a: "values" }))), { timeout: 10_000 }).toBe("STORE_UNAVAILABLE");
      const started = performance.now();
      const [read, write] = await Promise.allSettled([
        quick.execute(of(select, { a: "values" })),
        quick.execute(of(put, { ...empty, a: "hang", c: 1, stamp: 1n })),
      ]);
      const elapsed = performance.now() - started;
      process.kill(server.pid, "SIGCONT");
      expect(elapsed).toBeLessThan(2_500);
      expect(read).toMatchObject({ status: "rejected", reason: { reason: "STORE_UNAVAILABLE", details: { retryAfterSeconds: 1 } } });
      expect(write).toMatchObject({ status: "rejected", reason: { reason: "OUTCOME_UNKNOWN" } });
      await recovers(quick);
      await quick.close();
    });

    test(
      "a server that is killed: a quick no, also for who comes later, and all goes on when it is back",
      { timeout: 240_000 },
      async () => {
        const config = { contactPoints: [server.contactPoint], datacenter: server.datacenter, keyspace: "ks" };
        const quick = openCassandra(config, systemClock);
        await quick.execute(of(put, { ...empty, a: "kept", c: 1, s: "kept", stamp: 1n }));
        await server.kill("SIGKILL");
        await expect.poll(() => reasonOf(quick.execute(of(select, { a: "kept" })))).toBe("STORE_UNAVAILABLE");
        expect(await reasonOf(quick.execute(of(put, { ...empty, a: "none", c: 1, stamp: 1n })))).toBe("STORE_UNAVAILABLE");
        const later = openCassandra(config, systemClock);
        expect(await reasonOf(later.execute(of(select, { a: "kept" })))).toBe("STORE_UNAVAILABLE");
        await server.restart();
        await recovers(quick);
        await recovers(later);
        expect((await later.execute(of(select, { a: "kept" }))).map((row) => row["s"])).toEqual(["kept"]);
        await quick.close();
        await later.close();
      },
    );
  });
});

async function recovers(session: Session): Promise<void> {
  await expect.poll(() => reasonOf(session.execute(of(select, { a: "values" }))), { timeout: 20_000, interval: 100 }).toBe("done");
}

function reasonOf(result: Promise<unknown>): Promise<string> {
  return result.then(() => "done", (error: unknown) => String((error as { reason?: string }).reason ?? error));
}

function of(cql: string, values: Readonly<Record<string, Value>>): Statement {
  return { cql, values };
}
