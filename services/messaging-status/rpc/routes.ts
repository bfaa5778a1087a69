/** MessagingStatusService: one entry an RPC, each only messages to domain values and back. */
import type { ServiceImpl } from "@connectrpc/connect";
import { submitTo } from "../../../platform/intake/intake.ts";
import type { IntakeBody } from "../../../platform/intake/record-bytes.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  EmailMark,
  EmailMarkSchema,
  EmailStatus,
  EmailStatusSchema,
  PhoneMark,
  SubscriptionState,
} from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import {
  type GetEmailStatesRequest,
  MarkEmailsRequestSchema,
  type MessagingStatusService,
  RemoveInvalidPhonesRequestSchema,
  ReportBounceRequestSchema,
  ReportInvalidPhoneRequestSchema,
  ReportSpamRequestSchema,
  SetEmailStatusRequestSchema,
  type UseUnsubscribeLinkRequest,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { emailToRead, phoneToRead } from "../../../platform/intake/addresses.ts";
import { knownValue } from "../../consent/rpc/known-value.ts";
import { historyOf, operatorRoutes } from "../../consent/rpc/operator.ts";
import { type EmailStatus as StatusName, unknownAddress } from "../domain/address-state.ts";
import { listPage } from "./list-page.ts";
import { type DepsBeside, emailsOf, isLate, phonesOf, type ServiceParts, write } from "./request.ts";

export function messagingStatusRoutes(parts: ServiceParts): ServiceImpl<typeof MessagingStatusService> {
  return { ...writeRoutes(parts), ...routesBeside(parts) };
}

/** All that put nothing into the order of a workspace, so that they need no log. */
export function routesBeside(parts: DepsBeside): Omit<ServiceImpl<typeof MessagingStatusService>, keyof ReturnType<typeof writeRoutes>> {
  return { ...readRoutes(parts), ...linkRoutes(parts), ...operatorRoutes(parts) };
}

type Routes = Partial<ServiceImpl<typeof MessagingStatusService>>;

/** Checked here, and put into the order of their workspace. */
function writeRoutes(parts: ServiceParts) {
  return {
    async setEmailStatus(message) {
      const status = knownValue(EmailStatusSchema, message.status, "an email status");
      const value = { emails: emailsOf(message.emails), status };
      return await write(parts, { schema: SetEmailStatusRequestSchema, message }, { case: "setEmailStatuses", value });
    },
    async markEmails(message) {
      const body = markEmails(message.emails, knownValue(EmailMarkSchema, message.mark, "a mark"));
      return await write(parts, { schema: MarkEmailsRequestSchema, message }, body);
    },
    async removeInvalidPhones(message) {
      const body = markPhones(message.phones, PhoneMark.REMOVED);
      return await write(parts, { schema: RemoveInvalidPhonesRequestSchema, message }, body);
    },
    async reportBounce(message) {
      return await write(parts, { schema: ReportBounceRequestSchema, message }, markEmails(message.emails, EmailMark.HARD_BOUNCED));
    },
    async reportSpam(message) {
      return await write(parts, { schema: ReportSpamRequestSchema, message }, markEmails(message.emails, EmailMark.SPAM));
    },
    async reportInvalidPhone(message) {
      if (message.reason !== PhoneMark.PROVIDER_ERROR && message.reason !== PhoneMark.DEACTIVATED) {
        throw new Refusal("INPUT_INVALID", "Expected the reason provider_error or deactivated, got another");
      }
      return await write(parts, { schema: ReportInvalidPhoneRequestSchema, message }, markPhones(message.phones, message.reason));
    },
    useUnsubscribeLink: (message) => useUnsubscribeLink(parts, message),
  } satisfies Routes;
}

function markEmails(emails: readonly string[], mark: EmailMark): IntakeBody {
  return { case: "markEmails", value: { emails: emailsOf(emails), mark } };
}

function markPhones(phones: readonly string[], mark: PhoneMark): IntakeBody {
  return { case: "markPhones", value: { phones: phonesOf(phones), mark } };
}

function readRoutes(parts: DepsBeside) {
  return {
    getEmailStates: (message) => getEmailStates(parts, message),
    async listUnsubscribes(message, { signal }) {
      const { addresses, behind } = await listPage(parts, { scope: scopeOf(message), list: "unsubscribed", signal }, message.filter);
      return { emails: addresses, behind };
    },
    async listHardBounces(message, { signal }) {
      const { addresses, behind } = await listPage(parts, { scope: scopeOf(message), list: "rejected", signal }, message.filter);
      return { emails: addresses, behind };
    },
    async listInvalidPhones(message, { signal }) {
      const { addresses, behind } = await listPage(parts, { scope: scopeOf(message), list: "invalid", signal }, message.filter);
      return { phones: addresses, behind };
    },
    async getHistory(message) {
      const scope = scopeOf(message);
      const subjects = [...new Set(message.addresses.map((text) => text.includes("@") ? emailToRead(text) : phoneToRead(text)))];
      const { workspaceId } = scope;
      const late = await isLate(parts, scope, subjects);
      const [history, held] = await Promise.all([
        historyOf(parts.ledger, { workspaceId, subjects, until: message.until }),
        parts.isHeld(workspaceId, subjects),
      ]);
      return { ...history, behind: late || held };
    },
  } satisfies Routes;
}

/** For exports and senders. */
async function getEmailStates(parts: DepsBeside, message: GetEmailStatesRequest) {
  const scope = scopeOf(message);
  const emails = message.emails.map(emailToRead);
  const late = message.waited ? !await parts.caught.ask(scope, emails)() : await isLate(parts, scope, emails);
  const { workspaceId } = scope;
  const [known, held] = await Promise.all([parts.store.load(workspaceId, emails), parts.isHeld(workspaceId, emails)]);
  const states = emails.map((email) => {
    const { status, rejected, spamAt } = known.get(email) ?? unknownAddress(email);
    return {
      status: status === null ? EmailStatus.UNSPECIFIED : statusNumbers[status],
      rejected: rejected !== null,
      spam: spamAt !== null,
    };
  });
  return { states, behind: late || held };
}

const statusNumbers: Readonly<Record<StatusName, EmailStatus>> = {
  opted_in: EmailStatus.OPTED_IN,
  subscribed: EmailStatus.SUBSCRIBED,
  unsubscribed: EmailStatus.UNSUBSCRIBED,
};

function linkRoutes(parts: DepsBeside) {
  return {
    async createUnsubscribeLink(message) {
      const { workspaceId } = scopeOf(message);
      const [email = ""] = emailsOf([message.email]);
      return { path: `/unsubscribe/${await parts.links.make({ workspaceId, email, groupId: message.subscriptionGroupId })}` };
    },
    async openUnsubscribeLink({ token }) {
      const { workspaceId, email, groupId } = await parts.links.open(token);
      return { email, subscriptionGroupId: groupId, workspaceId };
    },
    async rotateLinkKey() {
      return { keyId: String(await parts.links.rotate()) };
    },
  } satisfies Routes;
}

/** A person who follows a link needs no key: the link is the proof. */
async function useUnsubscribeLink(parts: ServiceParts, { token, requestId, traceparent }: UseUnsubscribeLinkRequest) {
  const { workspaceId, email, groupId } = await parts.links.open(token);
  const who = { workspaceId, requestId, actor: "unsubscribe_link", route: "/unsubscribe", traceparent };
  const { position } = await submitTo(parts.intake, { ...who, idempotencyKey: "", readAfter: "" }, { body: takenBack(email, groupId) });
  return { position };
}

function takenBack(email: string, groupId: string): IntakeBody {
  if (groupId === "") return { case: "setEmailStatuses", value: { emails: [email], status: EmailStatus.UNSUBSCRIBED } };
  const update = { subscriptionGroupId: groupId, state: SubscriptionState.UNSUBSCRIBED, emails: [email] };
  return { case: "setMemberships", value: { updates: [update] } };
}
