/** DATA: the rows of the route table for consent: subscription groups, email and phone status, unsubscribe links. */
import { limits } from "../platform/limits.ts";
import { read, readByBody, type Route, write } from "./routing/route.ts";
import {
  handleEmailBlocklist,
  handleEmailBounceRemove,
  handleEmailHardBounces,
  handleEmailSpamRemove,
  handleEmailStatus,
  handleEmailUnsubscribes,
} from "./routes/email.ts";
import { handleSmsInvalidPhoneNumbers, handleSmsInvalidPhoneNumbersRemove } from "./routes/sms.ts";
import {
  handleSubscriptionStatusGet,
  handleSubscriptionStatusSet,
  handleSubscriptionUserStatus,
  handleV2SubscriptionStatusSet,
} from "./routes/subscription.ts";
import { handleUnsubscribe, handleUnsubscribePage, unsubscribeFault, unsubscribeRefusal } from "./routes/unsubscribe.ts";

const link = { guard: "open", path: "/unsubscribe/:token", refused: unsubscribeRefusal, failed: unsubscribeFault } as const;

export const consentRoutes: readonly Route[] = [
  {
    ...write,
    path: "/subscription/status/set",
    permission: "subscription.status.set",
    limit: "subscription_status_set",
    handler: handleSubscriptionStatusSet,
  },
  {
    ...write,
    path: "/v2/subscription/status/set",
    permission: "subscription.status.set",
    limit: "subscription_status_set",
    bodyBytesMax: limits.groupsRequestBytesMax,
    handler: handleV2SubscriptionStatusSet,
  },
  ...[read, readByBody].map((by): Route => ({
    ...by,
    path: "/subscription/status/get",
    permission: "subscription.status.get",
    limit: "subscription_status_get",
    handler: handleSubscriptionStatusGet,
  })),
  ...[read, readByBody].map((by): Route => ({
    ...by,
    path: "/subscription/user/status",
    permission: "subscription.groups.get",
    limit: "subscription_user_status",
    handler: handleSubscriptionUserStatus,
  })),
  { ...write, path: "/email/status", permission: "email.status", limit: "email_status", handler: handleEmailStatus },
  { ...write, path: "/email/blocklist", permission: "email.blacklist", limit: "email_blocklist", handler: handleEmailBlocklist },
  { ...write, path: "/email/blacklist", permission: "email.blacklist", limit: "email_blocklist", handler: handleEmailBlocklist },
  {
    ...write,
    path: "/email/bounce/remove",
    permission: "email.bounce.remove",
    limit: "email_bounce_remove",
    handler: handleEmailBounceRemove,
  },
  { ...write, path: "/email/spam/remove", permission: "email.spam.remove", limit: "email_spam_remove", handler: handleEmailSpamRemove },
  { ...read, path: "/email/unsubscribes", permission: "email.unsubscribe", limit: "email_unsubscribes", handler: handleEmailUnsubscribes },
  { ...read, path: "/email/hard_bounces", permission: "email.hard_bounces", limit: "email_hard_bounces", handler: handleEmailHardBounces },
  {
    ...read,
    path: "/sms/invalid_phone_numbers",
    permission: "sms.invalid_phone_numbers",
    limit: "sms_invalid_phone_numbers",
    handler: handleSmsInvalidPhoneNumbers,
  },
  {
    ...write,
    path: "/sms/invalid_phone_numbers/remove",
    permission: "sms.invalid_phone_numbers.remove",
    limit: "sms_invalid_phone_numbers_remove",
    handler: handleSmsInvalidPhoneNumbersRemove,
  },
  { ...link, method: "GET", handler: handleUnsubscribePage },
  { ...link, method: "POST", handler: handleUnsubscribe },
];
