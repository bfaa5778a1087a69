/** The commands heddle backup and heddle restore: their options and help. */
import type { Command } from "commander";
import { folderOptions, jsonHelp, whole } from "../../shell/option-values.ts";

export function addBackup(program: Command, done: (code: number) => void): void {
  folderOptions(program.command("backup"))
    .description("write a consistent copy of a data folder to one file, also while the server runs; or of the mesh, while nobody writes")
    .argument(
      "<file>",
      "where to; there must be nothing yet, or a folder, in which it is called by its time. It holds keys of links and all that is known of people: keep it secret",
    )
    .option("--pause-writes", "of the mesh: gateways answer writes with 503 and Retry-After meanwhile, and go on with reads")
    .option("--keep <count>", "of a folder: how many of its backups stay, the newest, from 1", whole(1, 10_000))
    .option("--workspace <workspace>", "this one alone, by id, name or company/name, without what is its company's")
    .option(
      "--shared-link-keys",
      "with --workspace: also keys of links that are older than a workspace's own keys, which make links of all workspaces",
    )
    .addHelpText("after", shapes)
    .action(async (file, options) => done(await (await import("./backup.ts")).backup(file, { ...options, env: process.env })));
  program.command("restore")
    .description("make a data folder from such a file, or fill a new mesh with it")
    .argument("<file>", "what heddle backup wrote")
    .option("--workspace <workspace>", "this one of the file alone, by id, name or company/name, without what is its company's")
    .option(
      "--shared-link-keys",
      "with --workspace: also keys of links that are older than a workspace's own keys, which make links of all workspaces",
    )
    .option("--data-dir <folder>", "data folder, in which there is no Heddle yet; HEDDLE_DATA_DIR or ./data unless given")
    .option("--json", jsonHelp)
    .addHelpText("after", shapes)
    .action(async (file, options) => done(await (await import("./backup.ts")).restore(file, { ...options, env: process.env })));
}

const shapes = `
The mesh is meant where HEDDLE_CASSANDRA_CONTACT_POINTS is set and no --data-dir is given. What was written of either shape can be
restored into either. Ends with 0 when all is done, 1 when something is in the way, 2 when it was called wrongly; a restore that
stopped half way is repeated with the same file and options.`;
