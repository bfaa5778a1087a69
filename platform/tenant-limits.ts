/** Limits of what a process knows of workspaces and companies, and of commands that write to them. Part of `limits`. */

export const tenantLimits = {
  // Of workspaces and companies that a process does not know
  rpcTenantLooksMax: 64,
  tenantsReadMs: 10_000,
  // heddle import: rows that are looked up before what was counted is written
  importRowsPerCommit: 10_000,
} as const;
