/** DATA: the headers of requests and answers that many routes share. */
import { limits } from "../../platform/limits.ts";
import { type Schema, text, whole } from "./schema.ts";

export const answerHeaders: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>> = {
  "X-Request-Id": { description: "The client's own, or one that was made; logs and faults name it.", schema: text() },
  "X-RateLimit-Limit": { description: "Requests the bucket holds. Empty where no caller is known.", schema: text() },
  "X-RateLimit-Remaining": { description: "Requests that are left.", schema: text() },
  "X-RateLimit-Reset": { description: "The epoch second at which the bucket is full again.", schema: text() },
  "RateLimit-Policy": {
    description: "Names, quotas (q) and windows in seconds (w), draft-ietf-httpapi-ratelimit-headers.",
    schema: text(),
  },
  "RateLimit": { description: "What remains (r) of the nearest limit, and seconds until it is full (t).", schema: text() },
  "X-Heddle-Position": { description: "Send it with a read that must see this write.", schema: text() },
  "X-Heddle-Read": { description: "`behind`: the read answered although it has not seen every earlier write.", schema: text() },
  "Idempotency-Replayed": {
    description: "`true`: the answer of an earlier request with the same key; nothing was done again.",
    schema: text(),
  },
  "X-Heddle-Reason": { description: "The reason of a refusal, for programs. Stable for ever.", schema: text() },
  "Retry-After": { description: "Seconds to wait before the next try.", schema: whole() },
};

/** components.parameters: `Idempotency-Key` of writes, `X-Heddle-Position` of reads, `X-Request-Origin` of SCIM. */
export const requestHeaders = {
  IdempotencyKey: {
    in: "header",
    name: "Idempotency-Key",
    description:
      "Makes the request safe to repeat: the same key and body have the same answer and one effect. A body is the same where its bytes " +
      "are, so send again the text that was sent; another one is refused with 422. Kept 7 days for `/users/track` and its variants, 24 hours for " +
      "other routes.",
    schema: text(undefined, { minLength: 1, maxLength: limits.idempotencyKeyCharsMax }),
  },
  Position: {
    in: "header",
    name: "X-Heddle-Position",
    description: "The header of a write that this read must see. It waits for it, bounded.",
    schema: text(undefined, { maxLength: limits.positionCharsMax }),
  },
  RequestOrigin: {
    in: "header",
    name: "X-Request-Origin",
    description: "The origin that the token is bound to. Needed unless the token was made with `--origin-optional`.",
    schema: text(),
  },
} as const;
