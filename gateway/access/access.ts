/** Who may call: companies, workspaces, API keys and SCIM tokens, held in memory and refreshed from the store. */

/** What the gateway asks on every request. All answers come from memory. */
export interface Access {
  /** The holder of a secret, looked up by its SHA-256 and compared in constant time; undefined: unknown or revoked. */
  findApiKey(secret: string): KeyHolder | undefined;
  findScimToken(secret: string): TokenHolder | undefined;
  /** The session of a browser; undefined: none of ours, over, or its key is revoked. */
  findSession(token: string): Session | undefined;
  workspace(workspaceId: string): Workspace | undefined;
  /** Some workspace lets pages of this origin use its keys. */
  allowsOrigin(origin: string): boolean;
  /** A backup is being made, while which nothing is written. */
  writesPaused(): boolean;
  /**
   * Resolves once a session of this token that was begun before, maybe at another gateway, can be found. One read for all who wait, at
   * most one each `accessMissMs`, and none for one that is known. Never rejects: while the store is away the last known set serves.
   */
  awaitSession(token: string): Promise<void>;
  /** As awaitSession, for a key or SCIM token that is not found; at most `accessKeyWaitMs`. */
  awaitKey(): Promise<void>;
  /**
   * Before a request is answered. undefined: what is in memory is read each `accessRefreshMs`. Else no request came for a while, so it was read seldom:
   * resolves once it is read anew, after `accessKeyWaitMs` at most. One read for all who wait. Never rejects.
   */
  awaitCurrent(): Promise<void> | undefined;
  /** Reads what changed since the last refresh; also runs by itself every `accessRefreshMs` while requests come. */
  refresh(): Promise<void>;
  close(): void;
}

export interface KeyHolder {
  readonly key: ApiKey;
  readonly workspace: Workspace;
  readonly company: Company;
}

/** A person at the console, by a key that was typed once. */
export interface Session {
  readonly holder: KeyHolder;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export interface TokenHolder {
  readonly token: ScimToken;
  readonly company: Company;
  readonly directory: CompanyDirectory;
}

/** What permissions of dashboard users can name. */
export interface CompanyDirectory {
  readonly workspaces: readonly (NamedThing & { readonly teams: readonly NamedThing[] })[];
  readonly permissionSets: readonly NamedThing[];
}

export interface NamedThing {
  readonly id: string;
  readonly name: string;
}

export interface Company {
  readonly id: string;
  readonly name: string;
  /** `YYYY-MM-DD`; decides which published limits apply. */
  readonly onboardedAt: string;
  /** Requests in its window, by the name of a limit of the company's; the published number holds for others. */
  readonly limits?: Readonly<Record<string, number>>;
}

export interface Workspace {
  readonly id: string;
  readonly companyId: string;
  readonly name: string;
  readonly plan: Plan;
  /** USD per unit, as decimal text. */
  readonly currencyRates: Readonly<Record<string, string>>;
  readonly apps: readonly { readonly id: string; readonly name: string }[];
  /** Origins as browsers send them, whose pages may use keys of the workspace. */
  readonly corsOrigins?: readonly string[];
  /** As those of the company, of the workspace's own limits. */
  readonly limits?: Readonly<Record<string, number>>;
}

export type Plan =
  | { readonly kind: "standard" }
  | { readonly kind: "monthly_active_users"; readonly requestsPerHour: number; readonly requestsPerSecondBurst: number };

/** When a key or token ends. */
export interface Ending {
  /** From this time on it is no longer valid; null: it stays. */
  readonly revokedAt: number | null;
  /** A person ended it, and no clock brings it back. Absent in rows of before, which go by `revokedAt`. */
  readonly ended?: true;
}

export interface ApiKey extends Ending {
  /** Public; may be logged. */
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  /** Permission names, or "*" for all. */
  readonly permissions: readonly string[];
  /** Single addresses and CIDR ranges; empty: any. */
  readonly ipAllow: readonly string[];
  readonly createdAt: number;
}

export interface ScimToken extends Ending {
  readonly id: string;
  readonly companyId: string;
  readonly name: string;
  /** What callers send as X-Request-Origin; with none, no call is allowed. */
  readonly origin: string;
  /** "optional": the header may be left out, for identity providers that cannot send one; where it is sent it must fit. */
  readonly originHeader: "required" | "optional";
  /** "optional": accounts may be created without `permissions`. Absent, as in rows of before: required. */
  readonly permissionsOnCreate?: "required" | "optional";
  /** Where users without a workspace land; empty: nowhere. */
  readonly defaultWorkspaceId: string;
  readonly ipAllow: readonly string[];
  readonly createdAt: number;
}
