/** GET /console/declaration: in what the workspace differs from the file that was applied last. */
import type { Change } from "../access/declare/declare-plan.ts";
import { success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

export async function handleConsoleDeclaration({ spent }: Call, { console }: Pick<Deps, "console">): Promise<Reply> {
  const last = await console.declaration(spent.permit.caller.holder);
  if (last === undefined) return success({ state: "none", differences: [] });
  const applied_at = new Date(last.at).toISOString();
  if (last.differences === undefined) return success({ state: "too_large", applied_at, differences: [] });
  return success({ state: "compared", applied_at, differences: last.differences.map(differenceBody) });
}

/** Applying the file again would undo it. */
function differenceBody({ action, what, path, id, fields = [] }: Change): object {
  return {
    difference: differences[action],
    what,
    path,
    // What is missing has no id yet
    ...(action !== "created" && { id }),
    ...(fields.length > 0 && { fields: fields.map(({ field, from, to }) => ({ field, here: from ?? null, declared: to ?? null })) }),
  };
}

const differences = { created: "missing", updated: "differs", pruned: "not_declared", unchanged: "none" } as const;
