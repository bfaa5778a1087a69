/** Users as SCIM resources: inside, as filters and patches see them, and outside, as clients do. */
import { type Fields, member } from "../../../platform/fields.ts";
import { sha256Hex } from "../../../platform/identifier.ts";
import { coreSchema } from "./schema.ts";
import type { Directory, DirectoryWorkspace, Named, User, WorkspaceGrant } from "./user.ts";

/** Renders users of one company. What is no longer declared is left out, and no answer fails over it. */
export interface Renderer {
  /** Every attribute by its name in the schema; times in RFC 3339, absent where there is no value. */
  resource(user: User): Fields;
  /**
   * The entity tag: weak, because the same version may be shown with more or fewer attributes. Where the user is shown with names that
   * the company declares it is another one once those are others (RFC 9110 section 8.8.1).
   */
  tag(user: User): string;
}

export function openRenderer(directory: Directory, baseUrl: string): Renderer {
  const workspaces = byId(directory.workspaces);
  const sets = byId(directory.permissionSets);
  const names = sha256Hex(JSON.stringify([directory.workspaces, directory.permissionSets])).slice(0, namesHashChars);

  function grant(held: WorkspaceGrant): Fields[] {
    const workspace = workspaces.get(held.workspaceId);
    if (workspace === undefined) return [];
    const set = held.permissionSetId === undefined ? undefined : sets.get(held.permissionSetId);
    return [{
      appGroupId: workspace.id,
      appGroupName: workspace.name,
      ...(set
        ? { appGroupPermissionSets: [{ appGroupPermissionSetID: set.id, appGroupPermissionSetName: set.name }] }
        : { appGroupPermissions: held.permissions }),
      team: teamsOf(held, workspace),
    }];
  }

  function tag({ revision, permissions: { workspaces: held } }: User): string {
    return held.length === 0 ? `W/"${revision}"` : `W/"${revision}-${names}"`;
  }
  return {
    tag,
    resource: (user) => ({
      schemas: [coreSchema],
      id: user.id,
      ...(user.externalId === undefined ? {} : { externalId: user.externalId }),
      userName: user.userName,
      name: { givenName: user.givenName, familyName: user.familyName },
      ...(user.displayName === undefined ? {} : { displayName: user.displayName }),
      active: user.active,
      ...(user.emails.length === 0 ? {} : { emails: user.emails }),
      department: user.department,
      ...(user.lastSignInAt === null ? {} : { lastSignInAt: new Date(user.lastSignInAt).toISOString() }),
      permissions: { companyPermissions: user.permissions.company, appGroup: user.permissions.workspaces.flatMap(grant) },
      meta: {
        resourceType: "User",
        created: new Date(user.createdAt).toISOString(),
        lastModified: new Date(user.modifiedAt).toISOString(),
        location: `${baseUrl}/scim/v2/Users/${user.id}`,
        version: tag(user),
      },
    }),
  };
}

const namesHashChars = 16;

function teamsOf(held: WorkspaceGrant, workspace: DirectoryWorkspace): Fields[] {
  return held.teams.flatMap(({ teamId, permissions }) => {
    const team = workspace.teams.find(({ id }) => id === teamId);
    return team ? [{ teamId: team.id, teamName: team.name, teamPermissions: permissions }] : [];
  });
}

/** The resource as clients read it: the last sign-in in its own form, also for a user who never signed in. */
export function presented(resource: Fields): Fields {
  const at = member(resource, "lastSignInAt");
  const shown: [string, unknown][] = [];
  for (const [name, value] of Object.entries(resource)) {
    if (name !== "lastSignInAt") shown.push([name, value]);
    if (name === "department") shown.push(["lastSignInAt", signInText(typeof at === "string" ? Date.parse(at) : 0)]);
  }
  return Object.fromEntries(shown);
}

/** `Thursday, January 1, 1970 12:00:00 AM`, in UTC. */
export function signInText(at: number): string {
  const date = new Date(at);
  const hour = date.getUTCHours();
  const time = [hour % halfDay === 0 ? halfDay : hour % halfDay, date.getUTCMinutes(), date.getUTCSeconds()]
    .map((part, place) => (place === 0 ? String(part) : String(part).padStart(2, "0")))
    .join(":");
  const day = `${weekdays[date.getUTCDay()]}, ${months[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`;
  return `${day} ${time} ${hour < halfDay ? "AM" : "PM"}`;
}

const halfDay = 12;
const weekdays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const months = "January February March April May June July August September October November December".split(" ");

function byId<T extends Named>(things: readonly T[]): ReadonlyMap<string, T> {
  return new Map(things.map((thing) => [thing.id, thing]));
}
