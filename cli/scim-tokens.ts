/** heddle scim-tokens: makes, lists, rotates and revokes the tokens of identity providers in the data folder or in the mesh. */
import type { Company } from "../gateway/access/access.ts";
import { isAddressRange, isOrigin } from "../gateway/access/declaration-holders.ts";
import type { AccessRows } from "../gateway/access/rows.ts";
import { createToken, type NewToken, revokeToken, rotateToken } from "../gateway/access/tokens.ts";
import { asCalled } from "./called-as.ts";
import { lifeOf, withAccessPlace } from "./access-place.ts";
import { chooseWorkspace, workspacePath } from "./data-folder.ts";
import { CommandError, counted, exitCodes, type JsonOption, print, printJson, printResult, table, UsageError } from "./output.ts";

interface FolderOptions extends JsonOption {
  readonly dataDir?: string;
}

const hourMs = 3_600_000;

export async function create(
  options: FolderOptions & {
    readonly name: string;
    readonly origin: string;
    readonly originOptional?: boolean;
    readonly permissionsOptional?: boolean;
    readonly company?: string;
    readonly defaultWorkspace?: string;
    readonly allowIp?: readonly string[];
  },
): Promise<number> {
  if (!isOrigin(options.origin)) throw new UsageError("An origin is printable ASCII characters, with no space at either end");
  const ipAllow = listed(options.allowIp ?? []);
  const wrong = ipAllow.find((address) => !isAddressRange(address));
  if (wrong !== undefined) throw new UsageError(`"${wrong}" is neither an IP address nor a range such as 10.0.0.0/8`);
  const made = await withAccessPlace(options, { create: false }, (access) => {
    const rows = access.rows();
    const company = chooseCompany(rows, options.company);
    const own = { ...rows, workspaces: rows.workspaces.filter(({ companyId }) => companyId === company.id) };
    const landing = options.defaultWorkspace === undefined ? "" : chooseWorkspace(own, options.defaultWorkspace).id;
    return createToken(access, {
      companyId: company.id,
      name: options.name,
      origin: options.origin,
      originHeader: options.originOptional ? "optional" : "required",
      permissionsOnCreate: options.permissionsOptional ? "optional" : "required",
      defaultWorkspaceId: landing,
      ipAllow,
    });
  });
  printMade(made, options);
  return exitCodes.ok;
}

export async function list(options: FolderOptions & { readonly company?: string }): Promise<number> {
  const rows = await withAccessPlace(options, { create: false }, async (access) => access.rows());
  const only = options.company === undefined ? undefined : chooseCompany(rows, options.company).id;
  const tokens = rows.tokens.filter(({ companyId }) => only === undefined || companyId === only).map((token) => ({
    id: token.id,
    companyId: token.companyId,
    company: rows.companies.find(({ id }) => id === token.companyId)?.name ?? token.companyId,
    name: token.name,
    origin: token.origin,
    originHeader: token.originHeader,
    permissionsOnCreate: token.permissionsOnCreate ?? "required",
    defaultWorkspace: landingPath(rows, token.defaultWorkspaceId),
    ipAllow: token.ipAllow,
    ...lifeOf(token),
  }));
  if (options.json) printJson(tokens);
  else if (tokens.length === 0) print(asCalled("There are no SCIM tokens yet: make one with heddle scim-tokens create"));
  else {
    const cells = tokens.map((token) => [
      token.id,
      token.company,
      token.name,
      `${token.origin}${token.originHeader === "optional" ? " (optional)" : ""}`,
      token.permissionsOnCreate,
      token.defaultWorkspace,
      token.ipAllow.join(","),
      token.createdAt,
      token.revokedAt ?? "",
    ]);
    print(table(["ID", "COMPANY", "NAME", "ORIGIN", "PERMISSIONS", "LANDS IN", "ONLY FROM", "CREATED", "REVOKED"], cells));
  }
  return exitCodes.ok;
}

export async function revoke(id: string, options: FolderOptions): Promise<number> {
  const token = await withAccessPlace(options, { create: false }, (access) => revokeToken(access, id));
  printResult(
    options,
    { id: token.id, name: token.name, ...lifeOf(token) },
    `The SCIM token ${token.id} (${token.name}) is revoked; a running server refuses it within a second`,
  );
  return exitCodes.ok;
}

export async function rotate(id: string, options: FolderOptions & { readonly overlapHours?: number }): Promise<number> {
  const overlapMs = options.overlapHours === undefined ? undefined : Math.round(options.overlapHours * hourMs);
  const made = await withAccessPlace(options, { create: false }, (access) => rotateToken(access, id, overlapMs));
  printMade(made, options);
  if (options.json) return exitCodes.ok;
  print(
    options.overlapHours === undefined
      ? asCalled(`The old token stays valid until you revoke it: heddle scim-tokens revoke ${id}`)
      : `The old token ${id} stays valid for ${counted(options.overlapHours, "hour")}`,
  );
  return exitCodes.ok;
}

/** The company that a person means by id or name; without one the only one there is. */
export function chooseCompany(rows: AccessRows, wanted: string | undefined): Company {
  const listedNames = rows.companies.map(({ name }) => name).join(", ");
  const meant = rows.companies.filter(({ id, name }) => wanted === undefined || wanted === id || wanted === name);
  const [first, ...others] = meant;
  if (first && others.length === 0) return first;
  if (rows.companies.length === 0) throw new CommandError("There is no company yet: declare one with heddle apply");
  if (first === undefined) throw new CommandError(`No company is called "${wanted}"; there are ${listedNames}`);
  throw new UsageError(`There are several companies, name one with --company: ${listedNames}`);
}

function printMade({ token, secret }: NewToken, options: FolderOptions): void {
  if (options.json) printJson({ ...token, ...lifeOf(token), secret });
  else {print(
      `The SCIM token ${token.id} (${token.name}) is bound to the origin ${token.origin}. Its secret, shown once, keep it now:\n  ${secret}`,
    );}
}

function landingPath(rows: AccessRows, workspaceId: string): string {
  const workspace = rows.workspaces.find(({ id }) => id === workspaceId);
  return workspace ? workspacePath(rows, workspace) : "";
}

/** Addresses may stand apart by spaces, commas or both. */
function listed(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(",")).map((text) => text.trim()).filter((text) => text !== "");
}
