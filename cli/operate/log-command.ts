/** The commands of heddle log and heddle events: their options and help. */
import type { Command } from "commander";
import { folderOptions, jsonHelp, jsonLinesHelp, whole } from "../shell/option-values.ts";

const positionMax = 999_999_999_999_999;
const dataDirHelp = "data folder; without it the mesh whose HEDDLE_PROFILE_URL the environment has, else HEDDLE_DATA_DIR or ./data";

export function addEvents(program: Command, done: (code: number) => void): void {
  program.command("events")
    .description("what services published, as NDJSON, the oldest first; also while the server runs")
    .option("--after <sequence>", "only those behind this place", whole(0, positionMax), 0)
    .option("--subject <subject>", "only those of one kind, such as profile.user.merged.v1")
    .option("--limit <count>", "at most this many", whole(0, positionMax), 1_000)
    .option(
      "--data-dir <folder>",
      "data folder; without it the mesh whose HEDDLE_NATS_URL the environment has, else HEDDLE_DATA_DIR or ./data",
    )
    .option("--json", jsonLinesHelp)
    .addHelpText("after", "\nHow services read them is in docs/events.md.\n")
    .action(async (options) => done(await (await import("./events.ts")).events(options)));
}

export function addLog(program: Command, done: (code: number) => void): void {
  const log = program.command("log").description("records that wait or cannot be applied; also while the server runs");
  folderOptions(log.command("status"), jsonHelp, dataDirHelp)
    .description("how far the log is applied, which users are blocked and why, and the dead letters")
    .option("--all", "every dead letter, and not the first ones alone")
    .action(async (options) => done(await (await import("./log.ts")).status(options)));
  ofRecord(log.command("show"))
    .description("what a record says that waits: it holds what was sent of people")
    .action(async (options) => done(await (await import("./log.ts")).show(options)));
  folderOptions(log.command("redrive"), jsonHelp, dataDirHelp)
    .description("try the records of all blocked users, and the dead letters, once more")
    .action(async (options) => done(await (await import("./log.ts")).redrive(options)));
  log.command("adopt")
    .description("begin a new epoch of the log, where NATS or Cassandra was lost or put back, after saying what is lost")
    .option("--yes", "do not ask")
    .option("--anyway", "also where everything fits: NATS and Cassandra were both put back from copies of one moment")
    .option("--json", jsonHelp)
    .addHelpText("after", "\nIt takes the environment of the parts of a mesh. When to use it is in docs/lost-servers.md.\n")
    .action(async (options) => done(await (await import("./log-adopt.ts")).adopt({ ...options, env: process.env })));
  ofRecord(log.command("skip"))
    .description("pass over a dead letter, or the record that blocks a user or an address: what it would have done is lost")
    .action(async (options) => done(await (await import("./log.ts")).skip(options)));
}

/** Options of a command about one record that waits. */
function ofRecord(command: Command): Command {
  return folderOptions(command, jsonHelp, dataDirHelp)
    .option("--workspace <id>", "id of the workspace, as heddle log status shows it")
    .option("--user <id>", "id of the user")
    .option("--lane <service>", "subscription or messaging-status, for a record of consent; then no user is needed")
    .option("--partition <number>", "for a dead letter; then neither workspace nor user is needed, and --at is such as 17")
    .requiredOption("--at <place>", "place of the record, such as 17.0");
}
