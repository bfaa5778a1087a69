/** MessagingStatusService: one entry an RPC, each only messages to domain values and back. */
import type { ServiceImpl } from "@connectrpc/connect";
import { numbersOf } from "../../../platform/enum-names.ts";
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
import { unknownAddress } from "../domain/address-state.ts";
import { listPage } from "./list-page.ts";
import { type DepsBeside, emailsOf, isLate, phonesOf, type ServiceDeps, write } from "./request.ts";

export function messagingStatusRoutes(deps: ServiceDeps): ServiceImpl<typeof MessagingStatusService> {
  return { ...writeRoutes(deps), ...routesBeside(deps) };
}

/** All that put nothing into the order of a workspace, so that they need no log. */
export function routesBeside(deps: DepsBeside): Omit<ServiceImpl<typeof MessagingStatusService>, keyof ReturnType<typeof writeRoutes>> {
  return { ...readRoutes(deps), ...linkRoutes(deps), ...operatorRoutes(deps) };
}

type Routes = Partial<ServiceImpl<typeof MessagingStatusService>>;

/** Checked here, and put into the order of their workspace. */
function writeRoutes(deps: ServiceDeps) {
  return {
    async setEmailStatus(message) {
      const status = knownValue(EmailStatusSchema, message.status, "an email status");
      const value = { emails: emailsOf(message.emails), status };
      return await write(deps, { schema: SetEmailStatusRequestSchema, message }, { case: "setEmailStatuses", value });
    },
    async markEmails(message) {
      const body = markEmails(message.emails, knownValue(EmailMarkSchema, message.mark, "a mark"));
      return await write(deps, { schema: MarkEmailsRequestSchema, message }, body);
    },
    async removeInvalidPhones(message) {
      const body = markPhones(message.phones, PhoneMark.REMOVED);
      return await write(deps, { schema: RemoveInvalidPhonesRequestSchema, message }, body);
    },
    async reportBounce(message) {
      return await write(deps, { schema: ReportBounceRequestSchema, message }, markEmails(message.emails, EmailMark.HARD_BOUNCED));
    },
    async reportSpam(message) {
      return await write(deps, { schema: ReportSpamRequestSchema, message }, markEmails(message.emails, EmailMark.SPAM));
    },
    async reportInvalidPhone(message) {
      if (message.reason !== PhoneMark.PROVIDER_ERROR && message.reason !== PhoneMark.DEACTIVATED) {
        throw new Refusal("INPUT_INVALID", "Expected the reason provider_error or deactivated, got another");
      }
      return await write(deps, { schema: ReportInvalidPhoneRequestSchema, message }, markPhones(message.phones, message.reason));
    },
    useUnsubscribeLink: (message) => useUnsubscribeLink(deps, message),
  } satisfies Routes;
}

function markEmails(emails: readonly string[], mark: EmailMark): IntakeBody {
  return { case: "markEmails", value: { emails: emailsOf(emails), mark } };
}

function markPhones(phones: readonly string[], mark: PhoneMark): IntakeBody {
  return { case: "markPhones", value: { phones: phonesOf(phones), mark } };
}

function readRoutes(deps: DepsBeside) {
  return {
    getEmailStates: (message) => getEmailStates(deps, message),
    async listUnsubscribes(message, { signal }) {
      const { addresses, behind } = await listPage(deps, { scope: scopeOf(message), list: "unsubscribed", signal }, message.filter);
      return { emails: addresses, behind };
    },
    async listHardBounces(message, { signal }) {
      const { addresses, behind } = await listPage(deps, { scope: scopeOf(message), list: "rejected", signal }, message.filter);
      return { emails: addresses, behind };
    },
    async listInvalidPhones(message, { signal }) {
      const { addresses, behind } = await listPage(deps, { scope: scopeOf(message), list: "invalid", signal }, message.filter);
      return { phones: addresses, behind };
    },
    async getHistory(message) {
      const scope = scopeOf(message);
      const subjects = [...new Set(message.addresses.map((text) => text.includes("@") ? emailToRead(text) : phoneToRead(text)))];
      const { workspaceId } = scope;
      const late = await isLate(deps, scope, subjects);
      const [history, blocked] = await Promise.all([
        historyOf(deps.ledger, { workspaceId, subjects, until: message.until }),
        deps.isBlocked(workspaceId, subjects),
      ]);
      return { ...history, behind: late || blocked };
    },
  } satisfies Routes;
}

/** For exports and senders. */
async function getEmailStates(deps: DepsBeside, message: GetEmailStatesRequest) {
  const scope = scopeOf(message);
  const emails = message.emails.map(emailToRead);
  const late = message.waited ? !await deps.barrier.ask(scope, emails)() : await isLate(deps, scope, emails);
  const { workspaceId } = scope;
  const [known, blocked] = await Promise.all([deps.store.load(workspaceId, emails), deps.isBlocked(workspaceId, emails)]);
  const states = emails.map((email) => {
    const { status, rejected, spamAt } = known.get(email) ?? unknownAddress(email);
    return {
      status: status === null ? EmailStatus.UNSPECIFIED : statusNumbers[status],
      rejected: rejected !== null,
      spam: spamAt !== null,
    };
  });
  return { states, behind: late || blocked };
}

const statusNumbers = numbersOf(EmailStatus);

function linkRoutes(deps: DepsBeside) {
  return {
    async createUnsubscribeLink(message) {
      const { workspaceId } = scopeOf(message);
      const [email = ""] = emailsOf([message.email]);
      return { path: `/unsubscribe/${await deps.links.make({ workspaceId, email, groupId: message.subscriptionGroupId })}` };
    },
    async openUnsubscribeLink({ token }) {
      const { workspaceId, email, groupId } = await deps.links.open(token);
      return { email, subscriptionGroupId: groupId, workspaceId };
    },
    async rotateLinkKey() {
      return { keyId: String(await deps.links.rotate()) };
    },
  } satisfies Routes;
}

/** A person who follows a link needs no key: the link is the proof. */
async function useUnsubscribeLink(deps: ServiceDeps, { token, requestId, traceparent }: UseUnsubscribeLinkRequest) {
  const { workspaceId, email, groupId } = await deps.links.open(token);
  const who = { workspaceId, requestId, actor: "unsubscribe_link", route: "/unsubscribe", traceparent };
  const { position } = await submitTo(deps.intake, { ...who, idempotencyKey: "", readAfter: "" }, { body: takenBack(email, groupId) });
  return { position };
}

function takenBack(email: string, groupId: string): IntakeBody {
  if (groupId === "") return { case: "setEmailStatuses", value: { emails: [email], status: EmailStatus.UNSUBSCRIBED } };
  const update = { subscriptionGroupId: groupId, state: SubscriptionState.UNSUBSCRIBED, emails: [email] };
  return { case: "setMemberships", value: { updates: [update] } };
}
