/** One Cassandra for test files that keep to keyspaces of their own and end no server: vitest's main process starts it for the first that asks. */
import { createServer } from "node:http";
import { env } from "node:process";
import { type CassandraServer, startCassandra } from "./cassandra.ts";
import { freePorts } from "./server-process.ts";

export type SharedCassandra = Pick<CassandraServer, "contactPoint" | "datacenter">;

/** Before the project `mesh`. */
export async function setup(): Promise<() => Promise<void>> {
  let starting: Promise<CassandraServer> | undefined;
  const door = createServer((_, response) => {
    starting ??= startCassandra({ heapMegabytes: 1024 });
    starting.then(
      ({ contactPoint, datacenter }) => response.end(JSON.stringify({ contactPoint, datacenter })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  const [port] = await freePorts(1);
  await new Promise<void>((resolve) => door.listen(port, "127.0.0.1", resolve));
  // Workers start with a copy of this environment
  env.HEDDLE_TEST_CASSANDRA = `http://127.0.0.1:${port}`;
  return async () => {
    door.close();
    const server = await starting?.catch(() => undefined);
    await server?.stop();
  };
}

/** Rejects with why it did not start. */
export async function sharedCassandra(): Promise<SharedCassandra> {
  const answer = await fetch(env.HEDDLE_TEST_CASSANDRA ?? "");
  if (!answer.ok) throw new Error(await answer.text());
  return await answer.json() as SharedCassandra;
}
