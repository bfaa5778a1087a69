/** heddle keys: makes, lists, revokes and rotates API keys in the data folder or in the mesh. */
import { nearest } from "../../gateway/access/nearest.ts";
import { createKey, type NewKey, revokeKey, rotateKey } from "../../gateway/access/keys/keys.ts";
import { everyPermission, permissionNames } from "../../gateway/access/permissions.ts";
import { type FolderOptions, withAccessTarget, type WorkspaceOptions } from "../target/access-target.ts";
import { asCalled } from "../shell/called-as.ts";
import { addressesOf, lifeOf, listed, oldText, overlapMsOf, printMade, printRevoked, type RotateOptions } from "./credentials.ts";
import { chooseWorkspace, workspacePath } from "../target/data-folder.ts";
import { exitCodes, printResult, table, UsageError } from "../shell/output.ts";

interface CreateOptions extends WorkspaceOptions {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly allowIp?: readonly string[];
}

export async function create(options: CreateOptions): Promise<number> {
  const permissions = listed(options.permissions);
  for (const name of permissions) checkPermission(name);
  const ipAllow = addressesOf(options);
  const { key, secret } = await withAccessTarget(options, (access) => {
    const workspace = chooseWorkspace(access.rows(), options.workspace);
    return createKey(access, { workspaceId: workspace.id, name: options.name, permissions, ipAllow });
  });
  return printMade({ ...key, secret }, [whatItMay(key)], options);
}

export async function list(options: WorkspaceOptions): Promise<number> {
  const rows = await withAccessTarget(options, (access) => access.rows());
  const only = options.workspace === undefined ? undefined : chooseWorkspace(rows, options.workspace).id;
  const workspaces = new Map(rows.workspaces.map((workspace) => [workspace.id, workspacePath(rows, workspace)]));
  const keys = rows.keys.filter((key) => only === undefined || key.workspaceId === only).map((key) => ({
    id: key.id,
    workspaceId: key.workspaceId,
    name: key.name,
    permissions: key.permissions,
    ipAllow: key.ipAllow,
    workspace: workspaces.get(key.workspaceId) ?? key.workspaceId,
    ...lifeOf(key),
  }));
  const cells = keys.map((key) => [key.id, key.workspace, key.name, key.permissions.join(","), key.createdAt, key.revokedAt ?? ""]);
  const text = keys.length === 0
    ? asCalled("There are no API keys yet: make one with heddle keys create")
    : table(["ID", "WORKSPACE", "NAME", "PERMISSIONS", "CREATED", "REVOKED"], cells);
  printResult(options, keys, text);
  return exitCodes.ok;
}

export async function revoke(id: string, options: FolderOptions): Promise<number> {
  return printRevoked(await withAccessTarget(options, (access) => revokeKey(access, id)), "key", options);
}

export async function rotate(id: string, options: RotateOptions): Promise<number> {
  const { key, secret } = await withAccessTarget(options, (access) => rotateKey(access, id, overlapMsOf(options)));
  return printMade({ ...key, secret }, [whatItMay(key), oldText({ what: "key", id, commands: "keys" }, options)], options);
}

function whatItMay({ id, name, permissions }: NewKey["key"]): string {
  return `The key ${id} (${name}) may do ${permissions.join(", ")}`;
}

function checkPermission(name: string): void {
  if (name === everyPermission || permissionNames.includes(name)) return;
  const meant = nearest(name, permissionNames);
  throw new UsageError(
    `There is no permission "${name}"${meant ? `; did you mean "${meant}"?` : `; there are ${permissionNames.join(", ")}`}`,
  );
}
