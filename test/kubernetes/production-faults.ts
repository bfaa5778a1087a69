/** Records that wait for a human, made and mended by scripts in the containers of the production overlay. */
import { inPart, operate } from "./production-place.ts";

const opened = `
  const { openJetStreamLog } = await import("/app/platform/log/jetstream.ts");
  const { readConfig } = await import("/app/platform/config.ts");
  const { readStore, readStreams } = await import("/app/platform/mesh-config.ts");
  const { systemClock: clock } = await import("/app/platform/clock.ts");
  const { silentLogger: logger } = await import("/app/platform/logger.ts");`;

/** What no build can read, in the intake: no reader can know whose it is. */
export async function appendRubbish(): Promise<void> {
  await inPart(
    "profile",
    `${opened}
    const { nats, logName, partitions, ...streams } = readConfig(process.env, readStreams);
    const log = await openJetStreamLog({ ...nats, ...streams, clock, logger, name: logName + "_intake", partitions, make: false });
    await log.append(0, Uint8Array.of(0));
    await log.close();`,
  );
}

/** Where it was set aside it becomes what a newer build reads in it: an alias for a user who is there, named by an external id that only one has. */
export async function mendRubbish(
  { partition, sequence }: Place,
  { externalId, alias }: { externalId: string; alias: string },
): Promise<void> {
  await inPart(
    "profile",
    `${opened}
    const { create, toBinary } = await import("@bufbuild/protobuf");
    const { openKeyspace } = await import("/app/platform/cassandra/keyspace.ts");
    const { profileSchema } = await import("/app/services/profile/mesh-wire.ts");
    const { putSetAside } = await import("/app/services/profile/store/statements.ts");
    const { IntakeRecordSchema } = await import("/app/proto/gen/heddle/intake/v1/intake_pb.ts");
    const { session, close } = await openKeyspace(readConfig(process.env, (reader) => readStore(reader, "profile")), profileSchema, clock);
    const rows = await session.execute({ cql: "SELECT workspace_id, external_id FROM users_by_external_id", values: {} });
    const { workspace_id: workspaceId } = rows.find((row) => row.external_id === "${externalId}");
    const aliases = [{ externalId: "${externalId}", alias: { label: "${alias}", name: "${externalId}" } }];
    const origin = { requestId: "mended", actor: "newer build", receivedAt: BigInt(Date.now()) };
    const body = toBinary(IntakeRecordSchema, create(IntakeRecordSchema, {
      workspaceId, origin, body: { case: "createAliases", value: { aliases } },
    }));
    const sequence = ${sequence}n;
    // Behind the row that was set aside
    const values = { log_partition: ${partition}, sequence, reason: "mended", body, stamp: sequence + 1n };
    await session.execute({ cql: putSetAside, values });
    await close();`,
  );
}

/** What HeddleDeadLetters looks at. */
export async function deadLetters(): Promise<number> {
  return Number(
    await inPart(
      "profile",
      `
    const text = await (await fetch("http://127.0.0.1:9464/metrics")).text();
    const counts = [...text.matchAll(/^heddle_dead_letters[{].*[}] ([0-9]+)$/gm)].map(([, count]) => Number(count));
    console.log(counts.reduce((sum, count) => sum + count, 0));`,
    ),
  );
}

/** As an operator sees them. */
export async function setAside(): Promise<Place[]> {
  return (JSON.parse(await operate("log", "status", "--json")) as { setAside: Place[] }).setAside;
}

interface Place {
  readonly partition: number;
  readonly sequence: number;
}
