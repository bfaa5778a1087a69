/** The commands of heddle preference-centers and heddle translations: their options and help. */
import type { Command } from "commander";
import { folderOptions, linkUrlHelp, workspaceOptions } from "../shell/option-values.ts";

export function addPreferenceCenters(program: Command, done: (code: number) => void): void {
  const centers = program.command("preference-centers").description(
    "preference centers with their versions and links; also while the server runs",
  );
  function command(words: string, description: string): Command {
    return workspaceOptions(centers.command(words).description(description));
  }
  command("list", "all preference centers with their ids")
    .action(async (options) => done(await (await import("./preference-centers.ts")).list(options)));
  command("versions <center>", "every version of a preference center, by id or name, the newest first")
    .action(async (center, options) => done(await (await import("./preference-centers.ts")).versions(center, options)));
  command("diff <center> <version>", "what a version changed")
    .option("--from <version>", "from this version; from the one before unless given")
    .action(async (center, version, options) => done(await (await import("./preference-centers.ts")).diff(center, version, options)));
  command("restore <center> <version>", "make an earlier version the newest")
    .action(async (center, version, options) => done(await (await import("./preference-centers.ts")).restore(center, version, options)));
  command("url <center> <external-id>", "the link to a person's own page")
    .option("--url <url>", linkUrlHelp)
    .action(async (center, externalId, options) => done(await (await import("./preference-centers.ts")).url(center, externalId, options)));
  folderOptions(centers.command("rotate-link-key"))
    .description("seal new links with a new key; links already sent stay good until they expire")
    .action(async (options) => done(await (await import("./preference-centers.ts")).rotateLinkKey(options)));
}

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
