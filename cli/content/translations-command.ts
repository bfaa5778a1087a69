/** The commands of heddle translations: their options and help. */
import type { Command } from "commander";
import { workspaceOptions } from "../shell/option-values.ts";

export function addTranslations(program: Command, done: (code: number) => void): void {
  const translations = program.command("translations").description(
    "what is translated of campaigns and canvases; also while the server runs",
  );
  workspaceOptions(translations.command("missing"))
    .description("the texts that no translation has yet")
    .option("--locale <locale>", "only of one language, by name or id")
    .option("--check", "end with code 1 where something is missing")
    .addHelpText("after", `\nExample:\n  heddle translations missing --locale es-MX --check\n`)
    .action(async (options) => done(await (await import("./translations.ts")).missing(options)));
  workspaceOptions(translations.command("list"))
    .description("campaigns, canvases, steps, messages and languages with their ids, as requests name them")
    .action(async (options) => done(await (await import("./translations.ts")).list(options)));
}
