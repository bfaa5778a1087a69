/** What is known of one email address or phone number, whether or not a user has it. */
import type { RecordId } from "../../../platform/age.ts";

export type EmailStatus = "opted_in" | "subscribed" | "unsubscribed";
export type EmailMark = "blocklisted" | "hard_bounced" | "spam" | "bounce_removed" | "spam_removed";
export type ListName = "unsubscribed" | "rejected" | "invalid";
export type InvalidReason = "provider_error" | "deactivated";

/** Times are Unix milliseconds, of the change that began the state. */
export interface AddressState {
  /** Normalised: the one key of everything said about it. */
  readonly address: string;
  /** Records at or below it are already in. */
  mark: RecordId;
  /** How much younger it is than the mark says: see `aheadAt`. */
  ahead?: number | undefined;
  /** null: never set, which counts as subscribed. */
  status: EmailStatus | null;
  /** null unless the status is unsubscribed. */
  unsubscribedAt: number | null;
  /** Permanently rejected; only an explicit removal lifts it. */
  rejected: { readonly reason: "blocklisted" | "hard_bounced"; readonly at: number } | null;
  spamAt: number | null;
  /** Of a phone number. */
  invalid: { readonly reason: InvalidReason; readonly at: number } | null;
}

export function unknownAddress(address: string): AddressState {
  return { address, mark: [0, -1], status: null, unsubscribedAt: null, rejected: null, spamAt: null, invalid: null };
}

/** When the address came on the list; null where it is not on it. */
export function timeOn(state: AddressState, list: ListName): number | null {
  switch (list) {
    case "unsubscribed":
      return state.unsubscribedAt;
    case "rejected":
      return state.rejected?.at ?? null;
    case "invalid":
      return state.invalid?.at ?? null;
  }
}
