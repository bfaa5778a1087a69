/** The commands of heddle consent: their options and help. */
import type { Command } from "commander";
import { dataDirHelp, jsonHelp, jsonLinesHelp, linkUrlHelp, workspaceHelp } from "../shell/option-values.ts";

export function addConsent(program: Command, done: (code: number) => void): void {
  const consent = program.command("consent").description("the consent ledger and unsubscribe links; also while the server runs");
  consent.command("history")
    .description("every change of consent of an address or user, with the request that asked for it")
    .option("--email <address>", "an email address and the users who have it")
    .option("--phone <number>", "a phone number and the users who have it")
    .option("--external-id <id>", "one user")
    .option("--at <time>", "only what was known at a time, such as 2026-01-31T12:00:00Z")
    .option("--workspace <workspace>", workspaceHelp)
    .option("--data-dir <folder>", dataDirHelp)
    .option("--json", jsonHelp)
    .action(async (options) => done(await (await import("./consent.ts")).history(options)));
  consent.command("verify")
    .description("check that no entry of the ledger was changed or taken out; names the first that was")
    .option("--workspace <workspace>", workspaceHelp)
    .option("--data-dir <folder>", dataDirHelp)
    .option("--json", jsonHelp)
    .action(async (options) => done(await (await import("./consent.ts")).verify(options)));
  consent.command("export")
    .description("all entries of the ledger as NDJSON")
    .option("--workspace <workspace>", workspaceHelp)
    .option("--data-dir <folder>", dataDirHelp)
    .option("--json", jsonLinesHelp)
    .action(async (options) => done(await (await import("./consent.ts")).exportLedger(options)));
  consent.command("link")
    .description("make a one-click unsubscribe link (RFC 8058)")
    .requiredOption("--email <address>", "whose link it is")
    .option("--group <id>", "of one subscription group; of all email unless given")
    .option("--url <url>", linkUrlHelp)
    .option("--workspace <workspace>", workspaceHelp)
    .option("--data-dir <folder>", dataDirHelp)
    .option("--json", jsonHelp)
    .action(async (options) => done(await (await import("./consent.ts")).link(options)));
  consent.command("rotate-link-key")
    .description("seal new links with a new key; older links stay good")
    .option("--data-dir <folder>", dataDirHelp)
    .option("--json", jsonHelp)
    .action(async (options) => done(await (await import("./consent.ts")).rotateLinkKey(options)));
}
