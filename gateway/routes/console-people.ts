/** POST /console/people: everyone in the workspace in pages, by platform id, with what a list shows of a person. */
import { bodyFields, invalid, isSent } from "../decode/fields.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

const peoplePerPage = 50;

/** A POST, as a page of people is no address. */
export async function handleConsolePeople(call: Call, { profile }: Pick<Parts, "profile">): Promise<Reply> {
  const { page_token: sent } = bodyFields(call.body);
  if (isSent(sent) && typeof sent !== "string") throw invalid("'page_token' must be the next_page_token of an earlier page");
  const pageToken = typeof sent === "string" ? sent : "";
  const { currencyRates } = call.spent.permit.caller.holder.workspace;
  const { usersJson, nextPageToken } = await profile.listUsers(
    { scope: call.scope, pageToken, pageSize: peoplePerPage, currencyRates },
    call.reading,
  );
  const users = usersJson.map((json) => personOf(JSON.parse(Buffer.from(json).toString()) as Record<string, unknown>));
  return success({ users, ...(nextPageToken !== "" && { next_page_token: nextPageToken }) });
}

const listed = ["external_id", "user_aliases", "email", "phone", "first_name", "last_name", "created_at"] as const;

function personOf(profile: Record<string, unknown>): object {
  return {
    platform_id: profile["braze_id"],
    ...Object.fromEntries(listed.filter((name) => isSent(profile[name])).map((name) => [name, profile[name]])),
    events: countOf(profile["custom_events"]),
    purchases: countOf(profile["purchases"]),
  };
}

function countOf(summaries: unknown): number {
  return Array.isArray(summaries) ? (summaries as { count: number }[]).reduce((sum, { count }) => sum + count, 0) : 0;
}
