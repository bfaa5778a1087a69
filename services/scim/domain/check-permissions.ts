/** The `permissions` of a body: names to ids of what the company declares, and every string of them known. */
import { asList, type Fields, isFields, isPresent, member } from "../../../platform/fields.ts";
import { limits } from "../../../platform/limits.ts";
import { attributeNamed } from "./attribute-path.ts";
import { invalid, quoted, textOf, wordsOf } from "./check-values.ts";
import type { Directory, DirectoryWorkspace, Named, Permissions, WorkspaceGrant } from "./user.ts";
import { companyPermissions, landingPermission, teamPermissions, workspacePermissions } from "./vocabulary.ts";

/**
 * Refuses INPUT_INVALID, by name, for what is unknown: permissions, workspaces, teams, sets, and any attribute, because a
 * mistyped one would give away or take away rights in silence. Those of other companies are as unknown.
 */
export function checkPermissions(value: unknown, directory: Directory): Permissions {
  const fields = knownFields(value, "permissions", ["companyPermissions", "appGroup", "roles"]);
  const [role] = asList(member(fields, "roles"));
  if (role !== undefined) {
    throw invalid(`Unknown role ${JSON.stringify(quoted(roleName(role)))}: no roles are declared, name permissions or a permission set`);
  }
  const groups = asList(member(fields, "appGroup"));
  if (groups.length > limits.scimAppGroupsMax) throw invalid(`'appGroup' has at most ${limits.scimAppGroupsMax} entries`);
  const workspaces = groups.map((group) => checkGroup(group, directory));
  refuseTwice(workspaces.map(({ workspaceId }) => workspaceId), "app group", directory.workspaces);
  const company = wordsOf(member(fields, "companyPermissions"), {
    name: "companyPermissions",
    what: "company permission",
    allowed: companyPermissions,
  });
  return { company, workspaces };
}

/** A new user without a workspace lands in the token's own. */
export function landed(permissions: Permissions, directory: Directory): Permissions {
  const { defaultWorkspaceId } = directory;
  const known = directory.workspaces.some(({ id }) => id === defaultWorkspaceId);
  if (permissions.workspaces.length > 0 || !known) return permissions;
  return { ...permissions, workspaces: [{ workspaceId: defaultWorkspaceId, permissions: [landingPermission], teams: [] }] };
}

const groupFields = ["appGroupId", "appGroupName", "appGroupPermissions", "appGroupPermissionSets", "team"];

function checkGroup(value: unknown, directory: Directory): WorkspaceGrant {
  const fields = knownFields(value, "appGroup", groupFields);
  const workspace = chosen(fields, directory.workspaces, { what: "app group", id: "appGroupId", name: "appGroupName" });
  const permissions = wordsOf(member(fields, "appGroupPermissions"), {
    name: "appGroupPermissions",
    what: "workspace permission",
    allowed: workspacePermissions,
  });
  const set = checkSet(asList(member(fields, "appGroupPermissionSets")), directory);
  if (set && permissions.length > 0) throw invalid("'appGroupPermissions' and 'appGroupPermissionSets' exclude each other");
  const teams = asList(member(fields, "team"));
  if (teams.length > limits.scimTeamsMax) throw invalid(`'team' has at most ${limits.scimTeamsMax} entries`);
  const checked = teams.map((team) => checkTeam(team, workspace));
  refuseTwice(checked.map(({ teamId }) => teamId), "team", workspace.teams);
  return { workspaceId: workspace.id, permissions, ...(set ? { permissionSetId: set.id } : {}), teams: checked };
}

function checkSet(sets: readonly unknown[], directory: Directory): Named | undefined {
  if (sets.length > 1) throw invalid("'appGroupPermissionSets' has at most one entry");
  if (sets.length === 0) return undefined;
  const fields = knownFields(sets[0], "appGroupPermissionSets", ["appGroupPermissionSetID", "appGroupPermissionSetName"]);
  return chosen(fields, directory.permissionSets, {
    what: "permission set",
    id: "appGroupPermissionSetID",
    name: "appGroupPermissionSetName",
  });
}

function checkTeam(value: unknown, workspace: DirectoryWorkspace) {
  const fields = knownFields(value, "team", ["teamId", "teamName", "teamPermissions"]);
  const team = chosen(fields, workspace.teams, { what: `team of '${workspace.name}'`, id: "teamId", name: "teamName" });
  const of = { name: "teamPermissions", what: "team permission", allowed: teamPermissions };
  return { teamId: team.id, permissions: wordsOf(member(fields, "teamPermissions"), of) };
}

/** The declared thing that is named by id, by name, or by both where they mean the same. */
function chosen<T extends Named>(
  fields: Fields,
  things: readonly T[],
  of: { readonly what: string; readonly id: string; readonly name: string },
): T {
  const id = member(fields, of.id);
  const name = member(fields, of.name);
  if (!isPresent(id) && !isPresent(name)) throw invalid(`'${of.name}' or '${of.id}' is required`);
  const byId = isPresent(id) ? things.find((thing) => thing.id === textOf(id, of.id)) : undefined;
  const byName = isPresent(name) ? things.find((thing) => thing.name === textOf(name, of.name)) : undefined;
  if (isPresent(id) && byId === undefined) throw unknown(of.what, id, things);
  if (isPresent(name) && byName === undefined) throw unknown(of.what, name, things);
  const found = byId ?? byName;
  if (found === undefined || (byName && byName !== found)) throw invalid(`'${of.name}' and '${of.id}' do not mean the same ${of.what}`);
  return found;
}

function unknown(what: string, value: unknown, things: readonly Named[]): Error {
  const listed = things.slice(0, limits.quotedNamesMax).map(({ name }) => quoted(name)).join(", ");
  const more = things.length - limits.quotedNamesMax;
  return invalid(`Unknown ${what} '${quoted(String(value))}'; there are ${listed || "none"}${more > 0 ? ` and ${more} more` : ""}`);
}

/** The members under the names of the code, whatever case they were sent in. */
function knownFields(value: unknown, name: string, known: readonly string[]): Fields {
  if (!isFields(value)) throw invalid(`'${name}' must be an object`);
  const attributes = known.map((each) => ({ name: each }));
  const members = Object.entries(value).map(([key, inner]) => {
    const found = attributeNamed(attributes, key);
    if (found === undefined) throw invalid(`Unknown attribute '${quoted(key)}' in '${name}'`);
    return [found.name, inner] as const;
  });
  refuseTwice(members.map(([key]) => key), "attribute");
  return Object.fromEntries(members);
}

/** `keys` are ids of `things`, which the refusal calls by name, or names themselves. */
function refuseTwice(keys: readonly string[], what: string, things: readonly Named[] = []): void {
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice === undefined) return;
  throw invalid(`The ${what} '${quoted(things.find(({ id }) => id === twice)?.name ?? twice)}' is named twice`);
}

function roleName(role: unknown): string {
  return isFields(role) ? String(member(role, "roleName") ?? member(role, "roleId") ?? "") : String(role);
}
