/** heddle users: lists the users that /users/track rejects, and admits one again. Over HTTP. */
import { type Answer, type Input, openClient, RefusedError } from "../../client/client.ts";
import { calling, serverKey, type ServerOptions, serverUrl } from "../target/http-call.ts";
import { CommandError, exitCodes, type JsonOption, plain, printResult, table, UsageError } from "../shell/output.ts";

export async function rejected(options: ServerOptions & JsonOption): Promise<number> {
  const url = serverUrl(options);
  const client = openClient({ url, key: serverKey(options) });
  const { users = [] } = (await calling("The list", url, () => client.call("listRejectedUsers", {}))).body;
  const rows = users.map(({ platform_id: id, external_id: externalId = "", counted, count, max }) => {
    return [id, plain(externalId), `${count} ${words[counted] ?? counted}`, String(max)];
  });
  printResult(options, users, users.length === 0 ? "Nobody is rejected" : table(["PLATFORM ID", "EXTERNAL ID", "HAS", "MAY HAVE"], rows));
  return exitCodes.ok;
}

export interface AdmitOptions extends ServerOptions, JsonOption {
  readonly externalId?: string;
  readonly platformId?: string;
  readonly alias?: readonly string[];
}

export async function admit(options: AdmitOptions): Promise<number> {
  const body = userOf(options);
  const url = serverUrl(options);
  const client = openClient({ url, key: serverKey(options) });
  const { users = [] } = (await calling("The list", url, () => client.call("listRejectedUsers", {}))).body;
  await calling("The word", url, () => client.call("admitUser", { body }).catch((error: unknown) => refuseAbsent(error, options)));
  const text = users.some((user) => isNamed(user, options))
    ? "The user is let in, and may have twice of what it has"
    : "The user was not rejected; it may have twice of what it has, and never less than others";
  printResult(options, { admitted: body }, text);
  return exitCodes.ok;
}

function refuseAbsent(error: unknown, { externalId, platformId, alias }: AdmitOptions): never {
  if (!(error instanceof RefusedError) || error.reason !== "NOT_FOUND") throw error;
  const [label = "", name = ""] = alias ?? [];
  const named = externalId !== undefined
    ? `external id "${externalId}"`
    : platformId !== undefined
    ? `platform id "${platformId}"`
    : `alias "${name}" of the label "${label}"`;
  throw new CommandError(`There is no such user: ${named}`, { cause: error });
}

type Rejected = NonNullable<Answer<"listRejectedUsers">["body"]["users"]>[number];

function isNamed(user: Rejected, { externalId, platformId, alias }: AdmitOptions): boolean {
  const [label, name] = alias ?? [];
  return (externalId !== undefined && user.external_id === externalId) || user.platform_id === platformId ||
    (user.user_aliases ?? []).some(({ alias_label, alias_name }) => alias_label === label && alias_name === name);
}

function userOf({ externalId, platformId, alias }: AdmitOptions): Input<"admitUser">["body"] {
  const [label, name] = alias ?? [];
  const named = [
    ...(externalId === undefined ? [] : [{ external_id: externalId }]),
    ...(platformId === undefined ? [] : [{ platform_id: platformId }]),
    ...(label === undefined || name === undefined ? [] : [{ user_alias: { alias_label: label, alias_name: name } }]),
  ];
  const [user, ...others] = named;
  if (user === undefined || others.length > 0 || (alias !== undefined && alias.length !== 2)) {
    throw new UsageError("Name one user: --external-id <id>, --platform-id <id> or --alias <label> <name>");
  }
  return user;
}

const words: Readonly<Record<string, string>> = { event_names: "event names", product_ids: "product ids", sessions: "sessions" };
