/** heddle scim-tokens: makes, lists, rotates and revokes the tokens of identity providers in the data folder or in the mesh. */
import type { Company } from "../../gateway/access/access.ts";
import { isOrigin } from "../../gateway/access/declaration/declaration-holders.ts";
import type { AccessRows } from "../../gateway/access/rows.ts";
import { createToken, type NewToken, revokeToken, rotateToken } from "../../gateway/access/keys/tokens.ts";
import { asCalled } from "../shell/called-as.ts";
import { type FolderOptions, withAccessTarget } from "../target/access-target.ts";
import { addressesOf, lifeOf, oldText, overlapMsOf, printMade, printRevoked, type RotateOptions } from "./credentials.ts";
import { chooseWorkspace, workspacePath } from "../target/data-folder.ts";
import { CommandError, exitCodes, printResult, table, UsageError } from "../shell/output.ts";

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
  const ipAllow = addressesOf(options);
  const { token, secret } = await withAccessTarget(options, (access) => {
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
  return printMade({ ...token, secret }, [boundText(token)], options);
}

export async function list(options: FolderOptions & { readonly company?: string }): Promise<number> {
  const rows = await withAccessTarget(options, (access) => access.rows());
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
  const text = tokens.length === 0
    ? asCalled("There are no SCIM tokens yet: make one with heddle scim-tokens create")
    : table(["ID", "COMPANY", "NAME", "ORIGIN", "PERMISSIONS", "LANDS IN", "ONLY FROM", "CREATED", "REVOKED"], cells);
  printResult(options, tokens, text);
  return exitCodes.ok;
}

export async function revoke(id: string, options: FolderOptions): Promise<number> {
  return printRevoked(await withAccessTarget(options, (access) => revokeToken(access, id)), "SCIM token", options);
}

export async function rotate(id: string, options: RotateOptions): Promise<number> {
  const { token, secret } = await withAccessTarget(options, (access) => rotateToken(access, id, overlapMsOf(options)));
  return printMade({ ...token, secret }, [boundText(token), oldText({ what: "token", id, commands: "scim-tokens" }, options)], options);
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

function boundText({ id, name, origin }: NewToken["token"]): string {
  return `The SCIM token ${id} (${name}) is bound to the origin ${origin}`;
}

function landingPath(rows: AccessRows, workspaceId: string): string {
  const workspace = rows.workspaces.find(({ id }) => id === workspaceId);
  return workspace ? workspacePath(rows, workspace) : "";
}
