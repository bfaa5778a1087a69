/** Workspaces and companies that there are: a call for another is refused before its handler, whatever the method. */
import { createGate } from "../gate.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import type { RpcRoute } from "./guard.ts";

export interface Tenant {
  readonly kind: "workspace" | "company";
  readonly id: string;
}

/** Says which workspaces and companies there are. */
export interface Tenants {
  /** From memory. False also where the tenant was made a moment ago. */
  isKnown(tenant: Tenant): boolean;
  /** Looks at the store. Refuses STORE_UNAVAILABLE where it does not answer. */
  find(tenant: Tenant): Promise<boolean>;
}

/**
 * The same route, whose unary methods refuse NOT_FOUND for a scope of a workspace or company that is not there. A known one
 * costs a look into memory. One that is not known is looked for in the store, once for all that ask at the same time. So that
 * made-up names do not become load of the store, `rpcTenantLooksMax` looks are made at a time. Up to `rpcTenantLooksWaitingMax`
 * more wait their turn, so that no first call of another is refused for them; refuses OVERLOADED beyond.
 * A dry run of a declaration may be for one that is not there yet: it writes nothing and reads nothing of others.
 */
export function tenantRoute({ service, implementation }: RpcRoute, tenants: Tenants | undefined): RpcRoute {
  if (tenants === undefined) return { service, implementation };
  const looks = openLooks(tenants);
  const handlers = Object.entries(implementation).map(([name, handler]) => {
    if (handler === undefined || service.method[name]?.methodKind !== "unary") return [name, handler] as const;
    const answer = handler.bind(implementation);
    return [name, (request: unknown, context: Parameters<typeof answer>[1]) => {
      const tenant = tenantOf(request as Scoped);
      if (tenant === undefined || tenants.isKnown(tenant)) return answer(request, context);
      return looks.require(tenant).then(() => answer(request, context));
    }] as const;
  });
  return { service, implementation: Object.fromEntries(handlers) };
}

/** heddle.profile.v1.Scope, heddle.scim.v1.Scope, or a message that names its company itself. */
interface Scoped {
  readonly scope?: { readonly workspaceId?: string; readonly companyId?: string };
  readonly companyId?: string;
  readonly dryRun?: boolean;
}

/** Undefined where the message has none: its handler says what is missing. */
function tenantOf({ scope, companyId = scope?.companyId, dryRun }: Scoped): Tenant | undefined {
  if (dryRun) return undefined;
  if (scope?.workspaceId) return { kind: "workspace", id: scope.workspaceId };
  return companyId ? { kind: "company", id: companyId } : undefined;
}

function openLooks(tenants: Tenants) {
  const underWay = new Map<string, Promise<boolean>>();
  const gate = createGate(limits.rpcTenantLooksMax);
  function look(tenant: Tenant): Promise<boolean> {
    const key = `${tenant.kind} ${tenant.id}`;
    const same = underWay.get(key);
    if (same !== undefined) return same;
    if (underWay.size >= limits.rpcTenantLooksMax + limits.rpcTenantLooksWaitingMax) {
      throw new Refusal("OVERLOADED", undefined, { retryAfterSeconds: limits.overloadRetryAfterSeconds });
    }
    const found = gate.run(async () => tenants.isKnown(tenant) || await tenants.find(tenant)).finally(() => underWay.delete(key));
    underWay.set(key, found);
    return found;
  }
  return {
    async require(tenant: Tenant): Promise<void> {
      if (!await look(tenant)) throw new Refusal("NOT_FOUND", `There is no ${tenant.kind} with this id`);
    },
  };
}
