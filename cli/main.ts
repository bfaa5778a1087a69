/** The heddle command: its commands, their options and help. Each command has a file of its own, loaded when it runs. */
import { Argument, Command, CommanderError } from "commander";

import { buildVersion } from "../platform/own-process.ts";
import { addBackup } from "./transfer/backup/backup-command.ts";
import { addCapacity } from "./operate/capacity-command.ts";
import { addConsent } from "./content/consent-command.ts";
import { addExport, addImport } from "./transfer/import-command.ts";
import { addEvents, addLog } from "./operate/log-command.ts";
import { folderOptions, hours, jsonHelp, shells, whole, workspaceOptions } from "./shell/option-values.ts";
import { asCalled } from "./shell/called-as.ts";
import { exitCodes, reportFailure } from "./shell/output.ts";
import { addPreferenceCenters, addTranslations } from "./content/content-commands.ts";
import { holdSemiSpace } from "./run/v8-heap.ts";
import { addUsers } from "./operate/users-command.ts";

/** Runs one command line (without the runtime and script names) and answers with the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  let code: number = exitCodes.ok;
  const program = commandTree((result) => {
    code = result;
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    // Commander has printed its own message; help and version end this way too, with code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    return reportFailure(error);
  }
}

/** All commands; `done` is called with the exit code of the one that runs. */
export function commandTree(done: (code: number) => void): Command {
  const program = new Command("heddle")
    .configureOutput({ writeOut: (text) => process.stdout.write(asCalled(text)), writeErr: (text) => process.stderr.write(asCalled(text)) })
    .description("The customer-data API that you run yourself.")
    .version(buildVersion)
    .exitOverride()
    .showHelpAfterError("(run it with --help to see how it is used)")
    .addHelpText("after", "\nExit codes: 0 done, 1 failed, 2 called in a way it does not understand.\n");
  addStart(program, done);
  addMesh(program, done);
  addApply(program, done);
  addKeys(program, done);
  addScimTokens(program, done);
  addScim(program, done);
  addDoctor(program, done);
  addImport(program, done);
  addExport(program, done);
  addConsent(program, done);
  addLog(program, done);
  addBackup(program, done);
  addEvents(program, done);
  addPreferenceCenters(program, done);
  addTranslations(program, done);
  addUsers(program, done);
  addCapacity(program, done);
  addCompletion(program, done);
  return program;
}

function addStart(program: Command, done: (code: number) => void): void {
  program.command("start")
    .description("start Heddle in one process")
    .option("--apply <file>", "declare what the file says before listening (see heddle apply)")
    .option("--no-demo", "do not make a demo workspace on the first start")
    .addHelpText("after", startHelp)
    .action(async (options) => {
      // Before the parts are loaded: what loading leaves behind is no measure of what requests will need
      holdSemiSpace();
      done(await (await import("./run/start.ts")).start({ ...options, env: process.env }));
    });
}

const startHelp = `
Environment:
  HEDDLE_HTTP_HOST   address to listen on, 127.0.0.1 unless given
  HEDDLE_HTTP_PORT   port to listen on, 8080 unless given; 0 takes a free one
  HEDDLE_DATA_DIR    folder of all data, ./data unless given
  HEDDLE_HTTP_HOSTS  hosts that SCIM locations may name where HEDDLE_PUBLIC_URL is not set, between commas
  HEDDLE_TRUSTED_PROXIES  addresses and ranges whose X-Forwarded-For is believed, between commas
  HEDDLE_PUBLIC_URL  where people reach this server, for links to their pages; the address listened on unless given
  HEDDLE_PAGES_URL   a host for those pages alone, HEDDLE_PUBLIC_URL unless given
  HEDDLE_PREFERENCE_LINK_LIFE  how long such a link is good, 90d unless given
  HEDDLE_UNDO_WINDOW how long a merge can be undone, 7d unless given; 0s: never
  HEDDLE_LEAVE_SECONDS  how long to go on after SIGTERM while answers close their connections, 0 unless given
  HEDDLE_RPC_PORT    port of the RPCs for other teams; none unless given
  HEDDLE_METRICS_PORT  port of the metrics; none unless given
  OTEL_EXPORTER_OTLP_ENDPOINT  where traces go, such as http://127.0.0.1:4318; nowhere unless given
  HEDDLE_LOG_LEVEL   debug, info, warn, error or silent; JSON lines go to standard error

More of them are in docs/observability.md and docs/mesh.md (HEDDLE_RPC_...).

Examples:
  heddle start
  heddle start --apply heddle.yaml
  HEDDLE_HTTP_PORT=9000 HEDDLE_DATA_DIR=/var/lib/heddle heddle start --no-demo
`;

function addMesh(program: Command, done: (code: number) => void): void {
  program.command("serve")
    .description("run one part of the mesh as a process of its own, over NATS, Cassandra and Redis")
    .argument("<part>", "gateway, profile, ...: each is listed in docs/mesh.md")
    .option("--apply <file>", "gateway: declare what the file says before listening")
    .addHelpText(
      "after",
      `
The settings are environment variables, listed in docs/mesh.md.

Example:
  HEDDLE_NATS_URL=nats://127.0.0.1:4222 HEDDLE_CASSANDRA_CONTACT_POINTS=127.0.0.1 \\
    HEDDLE_CASSANDRA_DATACENTER=datacenter1 heddle serve profile
`,
    )
    .action(async (part, options) => {
      holdSemiSpace();
      done(await (await import("./run/serve.ts")).serve(part, { ...options, env: process.env }));
    });
  program.command("migrate")
    .description("make the Cassandra tables of the mesh, or bring them to this build's version; safe to repeat")
    .option("--wait <seconds>", "try again for so long while Cassandra is not there or another migration runs", whole(0, 3_600))
    .option("--seal", "no process of a build before is left: use what such a build does not know also in keyspaces that are there")
    .option(
      "--names",
      "no process of a build before is left: list the names of users it made, so that the console finds them by how a name begins",
    )
    .option("--json", jsonHelp)
    .action(async (options) => done(await (await import("./operate/migrate.ts")).migrate({ ...options, env: process.env })));
}

function addApply(program: Command, done: (code: number) => void): void {
  folderOptions(program.command("apply"))
    .description("declare companies, workspaces, API keys, SCIM tokens and more; also while the server runs")
    .requiredOption("-f, --file <file>", "YAML or JSON file, - for standard input")
    .option("--prune", "remove what the file does not name; on a terminal after saying what, and asking")
    .option("--yes", "do not ask")
    .option("--dry-run", "say what would change, field by field, and change nothing")
    .addHelpText(
      "after",
      `
Applying the same file twice changes nothing. Secrets that Heddle makes are printed once and kept nowhere.
The format is described in docs/declaration.md.

Examples:
  heddle apply -f heddle.yaml
  heddle apply -f heddle.yaml --prune --dry-run
`,
    )
    .action(async (options) => done(await (await import("./declare/apply.ts")).apply(options)));
}

function addKeys(program: Command, done: (code: number) => void): void {
  const keys = program.command("keys").description("make, list, revoke and rotate API keys; also while the server runs");
  workspaceOptions(keys.command("create"))
    .description("make a key and show its secret once")
    .requiredOption("--name <name>", "name of the key")
    .requiredOption("--permissions <names...>", `what it may do, for example users.track; "*" for everything`)
    .option("--allow-ip <addresses...>", "only from these addresses or ranges, such as 10.0.0.0/8")
    .addHelpText("after", `\nExample:\n  heddle keys create --workspace acme/demo --name web --permissions users.track,users.export.ids\n`)
    .action(async (options) => done(await (await import("./access/keys.ts")).create(options)));
  workspaceOptions(keys.command("list"))
    .description("list keys, never their secrets")
    .action(async (options) => done(await (await import("./access/keys.ts")).list(options)));
  folderOptions(keys.command("revoke"))
    .description("end a key; a running server refuses it within a second")
    .argument("<id>", "id of the key, as heddle keys list shows it")
    .action(async (id, options) => done(await (await import("./access/keys.ts")).revoke(id, options)));
  folderOptions(keys.command("rotate"))
    .description("make a second key with the same name and rights, and let the old one end later")
    .argument("<id>", "id of the key")
    .option("--overlap-hours <hours>", "how long the old key stays valid; without it, until it is revoked", hours)
    .addHelpText(
      "after",
      `
Requests are remembered for each key by itself: before the old key ends, repeat with it what was sent with it and not
answered, and let imports end.

Example:
  heddle keys rotate key_6kB2m --overlap-hours 24
`,
    )
    .action(async (id, options) => done(await (await import("./access/keys.ts")).rotate(id, options)));
}

function addScimTokens(program: Command, done: (code: number) => void): void {
  const tokens = program.command("scim-tokens").description(
    "make, list, revoke and rotate tokens of identity providers; also while the server runs",
  );
  const company = "company by id or name; needed where there are several";
  folderOptions(tokens.command("create"))
    .description("make a SCIM token and show its secret once")
    .requiredOption("--name <name>", "name of the token")
    .requiredOption("--origin <origin>", "what the identity provider sends as X-Request-Origin")
    .option("--origin-optional", "take requests without X-Request-Origin too, for providers that cannot send it")
    .option("--permissions-optional", "take accounts without `permissions` too, for providers that cannot send them")
    .option("--company <company>", company)
    .option("--default-workspace <workspace>", "where users without a workspace land")
    .option("--allow-ip <addresses...>", "only from these addresses or ranges, such as 10.0.0.0/8")
    .addHelpText("after", `\nExample:\n  heddle scim-tokens create --name okta --origin okta --default-workspace demo\n`)
    .action(async (options) => done(await (await import("./access/scim-tokens.ts")).create(options)));
  folderOptions(tokens.command("list"))
    .description("list SCIM tokens, never their secrets")
    .option("--company <company>", company)
    .action(async (options) => done(await (await import("./access/scim-tokens.ts")).list(options)));
  folderOptions(tokens.command("revoke"))
    .description("end a SCIM token; a running server refuses it within a second")
    .argument("<id>", "id of the token, as heddle scim-tokens list shows it")
    .action(async (id, options) => done(await (await import("./access/scim-tokens.ts")).revoke(id, options)));
  folderOptions(tokens.command("rotate"))
    .description("make a second SCIM token on the same terms, and let the old one end later")
    .argument("<id>", "id of the token")
    .option("--overlap-hours <hours>", "how long the old token stays valid; without it, until it is revoked", hours)
    .action(async (id, options) => done(await (await import("./access/scim-tokens.ts")).rotate(id, options)));
}

function addScim(program: Command, done: (code: number) => void): void {
  folderOptions(program.command("scim").description("what identity providers do").command("log"))
    .description("show the SCIM requests of a company and what they changed, the newest last; also while the server runs")
    .option("--company <company>", "company by id or name; needed where there are several")
    .option("--user <user>", "only of the user with this id or userName")
    .option("--limit <requests>", "how many at most", whole(1, 100_000), 100)
    .addHelpText("after", `\nExamples:\n  heddle scim log --limit 20\n  heddle scim log --user ann@example.com --json\n`)
    .action(async (options) => done(await (await import("./access/scim-log.ts")).log(options)));
}

function addDoctor(program: Command, done: (code: number) => void): void {
  folderOptions(program.command("doctor"))
    .description("check everything Heddle needs, and say what to do where something is wrong")
    .action(async (options) => done(await (await import("./operate/doctor.ts")).doctor({ ...options, env: process.env })));
}

function addCompletion(program: Command, done: (code: number) => void): void {
  program.command("completion")
    .description("print what a shell needs to complete commands and options")
    .addArgument(new Argument("<shell>").choices(shells))
    .addHelpText("after", completionHelp)
    .action(async (shell) => done((await import("./shell/completion.ts")).completion(shell, program)));
}

const completionHelp = `
It is for "heddle" itself: install the package globally, or put node_modules/.bin on the PATH.

Examples:
  heddle completion bash > ~/.local/share/bash-completion/completions/heddle
  heddle completion zsh > ~/.zfunc/_heddle        where fpath has ~/.zfunc before compinit
  heddle completion fish > ~/.config/fish/completions/heddle.fish
`;

// Deno may be started on this file itself; through heddle.mjs it is only imported.
if (import.meta.main) process.exitCode = await run(process.argv.slice(2));
