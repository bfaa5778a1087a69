/** Cassandra as the floors ask it: the driver with what Heddle sets of it that costs, and nothing else. */
import cassandra from "cassandra-driver";

/** `settings`: as those of a part. */
export async function openBareSession(settings: Readonly<Record<string, string>>): Promise<cassandra.Client> {
  const client = new cassandra.Client({
    contactPoints: [settings["HEDDLE_CASSANDRA_CONTACT_POINTS"] ?? ""],
    localDataCenter: settings["HEDDLE_CASSANDRA_DATACENTER"] ?? "",
    queryOptions: { prepare: true, consistency: cassandra.types.consistencies.localQuorum },
  });
  await client.connect();
  return client;
}
