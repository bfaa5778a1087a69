/** Users to rows and back: everything but what a column of its own has. */
import type { User } from "../domain/user.ts";

export interface UserRow {
  readonly company_id: string;
  readonly user_name_key: string;
  readonly id: string;
  readonly revision: number;
  readonly body: string;
}

export function userBody(user: User): string {
  const { companyId: _company, id: _id, userNameKey: _key, revision: _revision, ...body } = user;
  return JSON.stringify(body);
}

export function userFromRow(row: UserRow): User {
  const body = JSON.parse(row.body) as Omit<User, "companyId" | "id" | "userNameKey" | "revision">;
  return { ...body, companyId: row.company_id, id: row.id, userNameKey: row.user_name_key, revision: row.revision };
}
