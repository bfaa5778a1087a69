/** The declarations of servers under test: the company `acme` with its workspace `demo`, and what a test has beside it. */

/** The key of the workspace `demo`, which may do everything. */
export const demoKey = "demo-key-of-the-tests";

/** A declaration as YAML. Each value is written as declarations have it. */
export function declared({ demo, keys = [], others = [], company, companies = [] }: Declared): string {
  const workspaces = [workspace("demo", [apiKey("all", demoKey), ...keys], demo), ...others];
  return JSON.stringify({ companies: [{ name: "acme", onboardedAt: "2020-01-01", ...company, workspaces }, ...companies] });
}

export function workspace(name: string, apiKeys: readonly object[], fields?: object): object {
  return { name, apiKeys, ...fields };
}

export function apiKey(name: string, secret: string, permissions: readonly string[] = ["*"]): object {
  return { name, permissions, secret };
}

/** A key for each permission, which holds it alone; its secret is `only-` and the permission. */
export function keyPerPermission(permissions: Iterable<string>): object[] {
  return Array.from(permissions, (name) => apiKey(name, `only-${name}`, [name]));
}

/** Scim tokens of a company; users of the origin `okta`. */
export function scimTokens(secret: string): readonly object[] {
  return [{ name: "idp", origin: "okta", secret }];
}

export const operatorPermissions: readonly string[] = ["*", "console.operate"];

/** Of every server that is started without one of its own. */
export const demoDeclaration = declared({
  demo: {
    currencyRates: { EUR: 1.08 },
    apps: [{ id: "app-1", name: "Web" }],
    apiKeys: [apiKey("all", demoKey, operatorPermissions)],
  },
});

export interface Declared {
  /** Fields of `demo`. */
  readonly demo?: object;
  /** Of `demo`, beside `demoKey`. */
  readonly keys?: readonly object[];
  /** Workspaces of `acme` beside `demo`. */
  readonly others?: readonly object[];
  /** Fields of `acme`. */
  readonly company?: object;
  /** Companies beside `acme`. */
  readonly companies?: readonly object[];
}
