/** The options and help of heddle capacity. */
import type { Command } from "commander";
import { measured } from "./capacity-model.ts";
import { jsonHelp, number, whole } from "../shell/option-values.ts";

export function addCapacity(program: Command, done: (code: number) => void): void {
  program.command("capacity")
    .description("say how many cores, machines and disks a load takes, and what is full first; asks no server")
    .requiredOption("--requests <n>", "requests a second at the peak, of all workspaces", whole(1, 100_000_000))
    .requiredOption("--objects <n>", "objects of a request", whole(1, 225))
    .requiredOption("--users <n>", "users of all workspaces", whole(1, 100_000_000_000))
    .option("--workspaces <n>", "how many there are", whole(1, 10_000_000), 1)
    .option("--largest <percent>", "what the largest workspace sends of it; unless given all send the same", number(0.000_1, 100))
    .option("--new <percent>", "objects that name a new user", number(0, 100), 1)
    .option("--row <bytes>", "of a user", whole(100, 1_000_000), 1_000)
    .option("--copies <n>", "of each row and message: nodes of Cassandra and NATS that have it", whole(1, 9), 3)
    .option("--cores <n>", "of a machine", whole(1, 1_024), 4)
    .option("--outage <minutes>", "how long writes are taken while nothing can be applied", whole(0, 10_080), 15)
    .option(
      "--floor <us>",
      `your machine: the first floor that "npm run bench" prints there, microseconds an object; ${measured.floorUs} is the machine that was measured`,
      number(0.01, 1_000),
      measured.floorUs,
    )
    .option("--json", jsonHelp)
    .addHelpText(
      "after",
      `
It computes from costs that were measured, docs/capacity.md says how.

Examples:
  heddle capacity --requests 200 --objects 20 --users 1000000
  heddle capacity --requests 1000 --objects 225 --users 100000000
  heddle capacity --requests 20000 --objects 5 --users 50000000 --workspaces 10000 --cores 16
`,
    )
    .action(async (options) => done((await import("./capacity.ts")).capacity(options)));
}
