/** heddle export: users as NDJSON, the named ones over HTTP or all of a workspace from the data folder or the mesh. */
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { type Client, type Input, openClient } from "../../client/client.ts";
import { systemClock } from "../../platform/clock.ts";
import { openDatabase } from "../../platform/sqlite/database.ts";
import { limits } from "../../platform/limits.ts";
import { readPeer } from "../../platform/mesh-config.ts";
import { slicesOf } from "../../platform/slices-by-size.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { emailStatusesBy, readUsers } from "../../services/profile/wire.ts";
import { withAccessTarget } from "../target/access-target.ts";
import { connectPart } from "../target/called-part.ts";
import { messagingStatusIn } from "../target/consent-target.ts";
import { chooseWorkspace, databaseFile, dataFolder, isMesh, isServed, withAccess } from "../target/data-folder.ts";
import { calling, serverKey, type ServerOptions, serverUrl } from "../target/http-call.ts";
import { withScratch } from "../shell/in-part.ts";
import { CommandError, counted, exitCodes, printError, UsageError } from "../shell/output.ts";
import { openProgressBar } from "../shell/progress-bar.ts";
import { readSettings } from "../target/settings.ts";
import { readStandardInput } from "../shell/standard-input.ts";

export interface ExportOptions extends ServerOptions {
  readonly ids?: string;
  readonly workspace?: string;
  readonly dataDir?: string;
  readonly output?: string;
  readonly quiet?: boolean;
}

export async function exportUsers(options: ExportOptions): Promise<number> {
  if (options.ids === undefined && options.url !== undefined) {
    throw new UsageError(
      "The HTTP API has no list of all users: name them with --ids, or leave out --url to read the data folder of this machine",
    );
  }
  const bar = openProgressBar(process.stderr, systemClock.monotonic);
  // A terminal that gets the users shows by them how far it is
  const isShown = !options.quiet && (options.output !== undefined || !process.stdout.isTTY);
  let users = 0;
  const missing: string[] = [];
  try {
    await intoOutput(options.output, async (write) => {
      const readAll = isMesh(options, "HEDDLE_PROFILE_URL") ? readMesh : readFolder;
      const pages = options.ids === undefined ? readAll(options) : readNamed(options.ids, options, missing);
      for await (const page of pages) {
        users += page.length;
        await write(page.map((user) => `${JSON.stringify(user)}\n`).join(""));
        if (isShown) bar.say(`Exporting: ${counted(users, "user")}`);
      }
    });
  } finally {
    if (isShown) bar.clear();
  }
  if (missing.length > 0) {
    printError(`${missing.length} of the ids belong to no user: ${missing.slice(0, 10).join(", ")}${missing.length > 10 ? " ..." : ""}`);
  }
  printError(`Exported ${counted(users, "user")}`);
  return exitCodes.ok;
}

/** All users of a workspace, in pages, as they stood when the first was read. */
async function* readFolder(options: ExportOptions): AsyncGenerator<readonly unknown[]> {
  const folder = dataFolder(options.dataDir, options.env);
  const workspace = await withAccess(folder, async (access) => chooseWorkspace(access.rows(), options.workspace));
  const database = openDatabase({ path: join(folder, databaseFile), beside: true, isServed: () => isServed(folder) });
  try {
    const emailStatuses = emailStatusesBy(await messagingStatusIn(database));
    yield* readUsers(database, { workspaceId: workspace.id, currencyRates: workspace.currencyRates, emailStatuses });
  } finally {
    await database.close();
  }
}

/** All users of a workspace, in pages, each as its profile stood when its page was read. */
async function* readMesh({ env, workspace: name }: ExportOptions): AsyncGenerator<readonly unknown[]> {
  const peer = readSettings(env, (reader) => readPeer(reader, "profile"));
  const { id: workspaceId, currencyRates } = await withAccessTarget({ env }, (access) => chooseWorkspace(access.rows(), name));
  const { client, close } = await connectPart(ProfileService, { ...peer, caller: "operator", deadlineMs: limits.rpcDeadlineMsMax });
  try {
    for (let pageToken = "", pageSize: number = limits.usersPerPageMax;;) {
      const scope = { workspaceId, actor: "operator", route: "export" };
      const page = await client.listUsers({ scope, pageToken, pageSize, currencyRates: { ...currencyRates } });
      // A page of large users ends early: what it leaves out is not read again for each page
      pageSize = Math.min(limits.usersPerPageMax, 2 * Math.max(1, page.usersJson.length));
      yield page.usersJson.map((json): unknown => JSON.parse(new TextDecoder().decode(json)));
      pageToken = page.nextPageToken;
      if (pageToken === "") return;
    }
  } finally {
    close();
  }
}

async function* readNamed(file: string, options: ExportOptions, missing: string[]): AsyncGenerator<readonly unknown[]> {
  const url = serverUrl(options);
  const client = openClient({ url, key: serverKey(options) });
  for (const some of slicesOf(readIds(file), limits.itemsPerRequestMax)) {
    const answer = await post(client, url, bodyOf(some));
    missing.push(...(answer.invalid_user_ids ?? []).map(String));
    yield answer.users ?? [];
  }
}

type Identifier = string | Readonly<Record<string, unknown>>;

/** One external id a line; a line in braces is an identifier object such as {"user_alias": {"alias_name": "a", "alias_label": "b"}}. */
function readIds(file: string): Identifier[] {
  if (file !== "-" && !existsSync(file)) throw new CommandError(`There is no file "${file}"`);
  // As long as it comes to, as a file is
  const bytes = file === "-" ? readStandardInput(Number.POSITIVE_INFINITY) : readFileSync(file);
  const lines = bytes.toString().split(/\r?\n/);
  return lines.flatMap((line, at): Identifier[] => {
    const text = line.trim();
    if (text === "") return [];
    if (!text.startsWith("{")) return [text];
    try {
      return [JSON.parse(text) as Readonly<Record<string, unknown>>];
    } catch {
      throw new CommandError(`Line ${at + 1} of "${file}" is neither an id nor a JSON object`);
    }
  });
}

/** The endpoint takes ids and aliases in lists, and one each of the others. */
function bodyOf(identifiers: readonly Identifier[]): Readonly<Record<string, unknown>> {
  const aliases: unknown[] = [];
  const ids: unknown[] = [];
  for (const identifier of identifiers) {
    if (typeof identifier === "string") ids.push(identifier);
    else if (Object.hasOwn(identifier, "external_id")) ids.push(identifier["external_id"]);
    else if (Object.hasOwn(identifier, "user_alias")) aliases.push(identifier["user_alias"]);
    else {throw new CommandError(
        `An identifier of the --ids file must be an external_id or a user_alias, not ${JSON.stringify(identifier)}`,
      );}
  }
  return { ...(ids.length > 0 ? { external_ids: ids } : {}), ...(aliases.length > 0 ? { user_aliases: aliases } : {}) };
}

interface ExportAnswer {
  readonly users?: readonly unknown[];
  readonly invalid_user_ids?: readonly unknown[];
}

async function post(client: Client, server: string, body: Input<"exportUsers">["body"]): Promise<ExportAnswer> {
  const { status, body: answer } = await calling("The export", server, () => client.call("exportUsers", { body }));
  if (Array.isArray((answer as ExportAnswer | undefined)?.users)) return answer;
  throw new CommandError(`The export was refused (${status})`);
}

/** A file appears under its name when it is complete; until then it is `<file>.part`, which goes where the export fails. */
async function intoOutput(file: string | undefined, work: (write: (text: string) => Promise<void>) => Promise<void>): Promise<void> {
  if (file === undefined) {
    // The write itself says that the reader has gone; the event would end the process before the sentence.
    process.stdout.on("error", doNothing);
    return await work(writeOut);
  }
  if (existsSync(file) && !statSync(file).isFile()) {
    throw new UsageError(`"${file}" is not a file: name one, or leave out -o to write to standard output`);
  }
  await withScratch(`${file}.part`, async (part, moveTo) => {
    const handle = openSync(part, "a");
    try {
      await work(async (text) => appendFileSync(handle, text));
    } finally {
      closeSync(handle);
    }
    moveTo(file);
  });
}

function doNothing(): void {}

/** Waits for the reader of a pipe, so that a slow one does not fill the memory. */
function writeOut(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => error ? reject(error) : resolve());
  });
}
