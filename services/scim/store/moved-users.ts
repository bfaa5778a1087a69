/** All users of a company out of any store. */
import { limits } from "../../../platform/limits.ts";
import type { Users } from "../domain/ports.ts";
import type { User } from "../domain/user.ts";
import type { ScimRows } from "./moved-rows.ts";

/** In the order of their names, a page at a time. */
export async function* usersOf(users: Users, companyId: string): AsyncGenerator<ScimRows> {
  for (let after: string | undefined;;) {
    const from = { descending: false, limit: limits.movedRowsPerPage };
    const page: readonly User[] = await users.page(companyId, after === undefined ? from : { ...from, after });
    if (page.length === 0) return;
    yield { companyId, users: page };
    after = page.at(-1)?.userNameKey;
  }
}
