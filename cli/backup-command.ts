/** The commands heddle backup and heddle restore: their options and help. */
import type { Command } from "commander";

export function addBackup(program: Command, done: (code: number) => void): void {
  program.command("backup")
    .description("write a consistent copy of a data folder to one file, also while the server runs; or of the mesh, while nobody writes")
    .argument("<file>", "where to; there must be nothing yet")
    .option("--data-dir <folder>", "data folder, HEDDLE_DATA_DIR or ./data unless given")
    .action(async (file, options) => done(await (await import("./backup.ts")).backup(file, { ...options, env: process.env })));
  program.command("restore")
    .description("make a data folder from such a file, or fill a new mesh with it")
    .argument("<file>", "what heddle backup wrote")
    .option("--data-dir <folder>", "data folder, in which there is no Heddle yet; HEDDLE_DATA_DIR or ./data unless given")
    .action(async (file, options) => done(await (await import("./backup.ts")).restore(file, { ...options, env: process.env })));
}
