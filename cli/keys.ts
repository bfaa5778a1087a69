/** heddle keys: makes, lists, revokes and rotates API keys in the data folder or in the mesh. */
import { nearest } from "../gateway/access/nearest.ts";
import { isAddressRange } from "../gateway/access/declaration-holders.ts";
import { createKey, type NewKey, revokeKey, rotateKey } from "../gateway/access/keys.ts";
import { everyPermission, permissionNames } from "../gateway/access/permissions.ts";
import { lifeOf, withAccessPlace } from "./access-place.ts";
import { asCalled } from "./called-as.ts";
import { chooseWorkspace, workspacePath } from "./data-folder.ts";
import { counted, exitCodes, type JsonOption, print, printJson, printResult, table, UsageError } from "./output.ts";

interface FolderOptions extends JsonOption {
  readonly dataDir?: string;
}

const hourMs = 3_600_000;

export async function create(
  options: FolderOptions & {
    readonly name: string;
    readonly permissions: readonly string[];
    readonly workspace?: string;
    readonly allowIp?: readonly string[];
  },
): Promise<number> {
  const permissions = listed(options.permissions);
  for (const name of permissions) checkPermission(name);
  const ipAllow = listed(options.allowIp ?? []);
  const wrong = ipAllow.find((address) => !isAddressRange(address));
  if (wrong !== undefined) throw new UsageError(`"${wrong}" is neither an IP address nor a range such as 10.0.0.0/8`);
  const made = await withAccessPlace(options, { create: false }, (access) => {
    const workspace = chooseWorkspace(access.rows(), options.workspace);
    return createKey(access, { workspaceId: workspace.id, name: options.name, permissions, ipAllow });
  });
  printMade(made, options);
  return exitCodes.ok;
}

export async function list(options: FolderOptions & { readonly workspace?: string }): Promise<number> {
  const rows = await withAccessPlace(options, { create: false }, async (access) => access.rows());
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
  if (options.json) printJson(keys);
  else if (keys.length === 0) print(asCalled("There are no API keys yet: make one with heddle keys create"));
  else {
    const cells = keys.map((key) => [key.id, key.workspace, key.name, key.permissions.join(","), key.createdAt, key.revokedAt ?? ""]);
    print(table(["ID", "WORKSPACE", "NAME", "PERMISSIONS", "CREATED", "REVOKED"], cells));
  }
  return exitCodes.ok;
}

export async function revoke(id: string, options: FolderOptions): Promise<number> {
  const key = await withAccessPlace(options, { create: false }, (access) => revokeKey(access, id));
  printResult(
    options,
    { id: key.id, name: key.name, ...lifeOf(key) },
    `The key ${key.id} (${key.name}) is revoked; a running server refuses it within a second`,
  );
  return exitCodes.ok;
}

export async function rotate(id: string, options: FolderOptions & { readonly overlapHours?: number }): Promise<number> {
  const overlapMs = options.overlapHours === undefined ? undefined : Math.round(options.overlapHours * hourMs);
  const made = await withAccessPlace(options, { create: false }, (access) => rotateKey(access, id, overlapMs));
  printMade(made, options);
  if (options.json) return exitCodes.ok;
  print(
    options.overlapHours === undefined
      ? asCalled(`The old key stays valid until you revoke it: heddle keys revoke ${id}`)
      : `The old key ${id} stays valid for ${counted(options.overlapHours, "hour")}`,
  );
  return exitCodes.ok;
}

function printMade({ key, secret }: NewKey, options: FolderOptions): void {
  if (options.json) printJson({ ...key, ...lifeOf(key), secret });
  else print(`The key ${key.id} (${key.name}) may do ${key.permissions.join(", ")}. Its secret, shown once, keep it now:\n  ${secret}`);
}

/** Names may stand apart by spaces, commas or both. */
function listed(names: readonly string[]): string[] {
  return names.flatMap((name) => name.split(",")).map((name) => name.trim()).filter((name) => name !== "");
}

function checkPermission(name: string): void {
  if (name === everyPermission || permissionNames.includes(name)) return;
  const meant = nearest(name, permissionNames);
  throw new UsageError(
    `There is no permission "${name}"${meant ? `; did you mean "${meant}"?` : `; there are ${permissionNames.join(", ")}`}`,
  );
}
