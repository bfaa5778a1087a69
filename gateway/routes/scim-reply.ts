/** What the SCIM routes share: projections asked for, and answers with one user. */
import type { UserAnswer } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { ScimCall, ScimReply } from "../routing/scim-route.ts";

/** `attributes` and `excludedAttributes` of the query, between commas. */
export function projectionOf(query: URLSearchParams): { attributes: string[]; excludedAttributes: string[] } {
  return { attributes: namesOf(query.get("attributes")), excludedAttributes: namesOf(query.get("excludedAttributes")) };
}

function namesOf(text: string | null): string[] {
  return (text ?? "").split(",").map((name) => name.trim()).filter((name) => name !== "");
}

/** A user with its version and address. */
export function userReply(user: UserAnswer | undefined, { scope }: Pick<ScimCall, "scope">, status: number): ScimReply {
  if (user === undefined) throw new Error("The service answered without a user");
  const headers = ["ETag", user.etag, "Location", `${scope.baseUrl}/scim/v2/Users/${user.id}`];
  if (user.replayed) headers.push("Idempotency-Replayed", "true");
  return { status, body: user.userJson, headers, logged: user.logged };
}
