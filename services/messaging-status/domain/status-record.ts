/** What the resolver sends to an address's applier: one change of its state, in order. */
import type { RecordId } from "../../../platform/age.ts";
import type { EmailMark, EmailStatus, InvalidReason } from "./address-state.ts";

export interface StatusRecord {
  readonly address: string;
  readonly mark: RecordId;
  /** When it was resolved, or received by a clock that is ahead of that. Unix milliseconds. */
  readonly at: number;
  readonly requestId: string;
  readonly actor: string;
  /** Of the span that sent it; absent where the request is not recorded. */
  readonly traceparent?: string;
  readonly change: StatusChange;
}

export type StatusChange =
  /** `carried`: waited with a user for the address: an unsubscribe counts, anything else only where nothing is known. */
  | { readonly type: "emailStatus"; readonly status: EmailStatus; readonly carried: boolean }
  | { readonly type: "emailMark"; readonly mark: EmailMark }
  | { readonly type: "phoneMark"; readonly mark: InvalidReason | "removed" };

/** One change of one part of the state, for the consent ledger. */
export interface ConsentChange {
  readonly what: "email_status" | "email_rejected" | "email_spam" | "phone_invalid";
  readonly kind: "set" | "carried";
  readonly before: string | null;
  readonly after: string | null;
}
