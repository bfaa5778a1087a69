/** A dashboard user as it is kept, and what its company has declared. */

export interface User extends Profile {
  readonly companyId: string;
  readonly id: string;
  /** As it was sent, without spaces around it. */
  readonly userName: string;
  /** See user-name.ts. */
  readonly userNameKey: string;
  readonly permissions: Permissions;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly lastSignInAt: number | null;
  /** Counts from 1. */
  readonly revision: number;
}

/** What clients may set. */
export interface Profile {
  readonly externalId?: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly displayName?: string;
  readonly active: boolean;
  readonly emails: readonly Email[];
  readonly department: string;
}

export interface Email {
  readonly value: string;
  readonly display?: string;
  readonly type?: string;
  readonly primary?: boolean;
}

/** Ids, not names: a workspace, team or set may be renamed. */
export interface Permissions {
  readonly company: readonly string[];
  readonly workspaces: readonly WorkspaceGrant[];
}

export interface WorkspaceGrant {
  readonly workspaceId: string;
  readonly permissions: readonly string[];
  /** Instead of `permissions`. */
  readonly permissionSetId?: string;
  readonly teams: readonly { readonly teamId: string; readonly permissions: readonly string[] }[];
}

/** What a company declares. */
export interface Directory {
  readonly workspaces: readonly DirectoryWorkspace[];
  readonly permissionSets: readonly Named[];
  /** Empty: none. */
  readonly defaultWorkspaceId: string;
}

export interface DirectoryWorkspace extends Named {
  readonly teams: readonly Named[];
}

export interface Named {
  readonly id: string;
  readonly name: string;
}
