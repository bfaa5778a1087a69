/** Which workspaces and companies there are, for the RPCs of all parts: from the rows that say who may call. */
import type { Clock } from "../../../platform/clock.ts";
import type { Documents } from "../../../platform/documents/documents.ts";
import { limits } from "../../../platform/limits.ts";
import { repeatedly } from "../../../platform/repeatedly.ts";
import type { Tenant, Tenants } from "../../../platform/rpc/tenants.ts";
import type { Access } from "../access.ts";
import type { AccessAdmin } from "../admin/admin.ts";

/** Of the process that holds all rows itself. */
export function tenantsOf(access: Access & AccessAdmin): Tenants {
  function isKnown({ kind, id }: Tenant): boolean {
    return kind === "workspace" ? access.workspace(id) !== undefined : access.rows().companies.some((company) => company.id === id);
  }
  return {
    isKnown,
    async find(tenant) {
      await access.refresh();
      return isKnown(tenant);
    },
  };
}

const kinds = ["workspace", "company"] as const;

/**
 * Of a part of the mesh: ids alone, never a key. All are read at the start, and again every `tenantsReadMs` so that removed ones
 * go; one that is made in between is found when it is first named. While the store is away the last known ones hold.
 */
export async function openTenants(
  { documents, installation, clock }: { readonly documents: Documents; readonly installation: string; readonly clock: Clock },
): Promise<Tenants & { close(): void }> {
  let known = await readKnown();
  async function readKnown(): Promise<Set<string>> {
    const read = await Promise.all(kinds.map(async (kind) => {
      return (await documents.ids(installation, kind)).map((id) => keyOf({ kind, id }));
    }));
    return new Set(read.flat());
  }
  const close = repeatedly(clock, limits.tenantsReadMs, async () => {
    // Where the store is away, what was known holds
    known = await readKnown().catch(() => known);
  });
  return {
    isKnown: (tenant) => known.has(keyOf(tenant)),
    async find(tenant) {
      if (await documents.get(installation, tenant) === undefined) return false;
      known.add(keyOf(tenant));
      return true;
    },
    close,
  };
}

function keyOf({ kind, id }: Tenant): string {
  return `${kind} ${id}`;
}
