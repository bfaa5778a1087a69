/** Tests that need real servers: run where they can be had, named with the reason where not, and failed where they must be. */
import { env } from "node:process";
import { describe } from "vitest";
import { provision, type ServerName } from "./provision.ts";

/** `describe` for tests on these servers. With `HEDDLE_REQUIRE_SERVERS=1` a missing server is an error and not a skip. */
export async function describeWith(servers: readonly ServerName[], title: string, body: () => void): Promise<void> {
  const missing: string[] = [];
  for (const name of servers) {
    const { missing: reason } = await provision(name);
    if (reason) missing.push(reason);
  }
  const reason = missing.join("; ");
  if (reason !== "" && env.HEDDLE_REQUIRE_SERVERS === "1") throw new Error(`"${title}" must run and cannot: ${reason}`);
  if (reason !== "") console.warn(`Not run: "${title}": ${reason}`);
  const suite = reason === "" ? describe : describe.skip;
  suite(reason === "" ? title : `${title} (not run: ${reason})`, body);
}
