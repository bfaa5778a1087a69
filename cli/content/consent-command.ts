/** The commands of heddle consent: their options and help. */
import type { Command } from "commander";
import { folderOptions, jsonLinesHelp, linkUrlHelp, workspaceOptions } from "../shell/option-values.ts";

export function addConsent(program: Command, done: (code: number) => void): void {
  const consent = program.command("consent").description("the consent ledger and unsubscribe links; also while the server runs");
  workspaceOptions(consent.command("history"))
    .description("every change of consent of an address or user, with the request that asked for it")
    .option("--email <address>", "an email address and the users who have it")
    .option("--phone <number>", "a phone number and the users who have it")
    .option("--external-id <id>", "one user")
    .option("--at <time>", "only what was known at a time, such as 2026-01-31T12:00:00Z")
    .action(async (options) => done(await (await import("./consent.ts")).history(options)));
  workspaceOptions(consent.command("verify"))
    .description("check that no entry of the ledger was changed or taken out; names the first that was")
    .action(async (options) => done(await (await import("./consent.ts")).verify(options)));
  workspaceOptions(consent.command("export"), jsonLinesHelp)
    .description("all entries of the ledger as NDJSON")
    .action(async (options) => done(await (await import("./consent.ts")).exportLedger(options)));
  workspaceOptions(consent.command("link"))
    .description("make a one-click unsubscribe link (RFC 8058)")
    .requiredOption("--email <address>", "whose link it is")
    .option("--group <id>", "of one subscription group; of all email unless given")
    .option("--url <url>", linkUrlHelp)
    .action(async (options) => done(await (await import("./consent.ts")).link(options)));
  folderOptions(consent.command("rotate-link-key"))
    .description("seal new links with a new key; older links stay good")
    .action(async (options) => done(await (await import("./consent.ts")).rotateLinkKey(options)));
}
