/** The commands of heddle translations: their options and help. */
import type { Command } from "commander";
import { jsonHelp } from "./option-values.ts";

export function addTranslations(program: Command, done: (code: number) => void): void {
  const translations = program.command("translations").description(
    "what is translated of campaigns and canvases; also while the server runs",
  );
  const dataDirHelp = "data folder, HEDDLE_DATA_DIR or ./data unless given";
  const workspace = "workspace by id, name or company/name; needed where there are several";
  translations.command("missing")
    .description("the texts that no translation has yet")
    .option("--locale <locale>", "only of one language, by name or id")
    .option("--check", "end with code 1 where something is missing")
    .option("--workspace <workspace>", workspace)
    .option("--data-dir <folder>", dataDirHelp)
    .option("--json", jsonHelp)
    .addHelpText("after", `\nExample:\n  heddle translations missing --locale es-MX --check\n`)
    .action(async (options) => done(await (await import("./translations.ts")).missing(options)));
  translations.command("list")
    .description("campaigns, canvases, steps, messages and languages with their ids, as requests name them")
    .option("--workspace <workspace>", workspace)
    .option("--data-dir <folder>", dataDirHelp)
    .option("--json", jsonHelp)
    .action(async (options) => done(await (await import("./translations.ts")).list(options)));
}
