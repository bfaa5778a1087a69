/** Random histories of consent against a model of plain maps: memberships, statuses, emails and phones that come and go, open merges, undo. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { EmailMark, EmailStatus, PhoneMark, SubscriptionState } from "../proto/gen/heddle/lane/v1/lane_pb.ts";
import { MembershipStatus } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { ConsentModel, type EmailMark as ModelMark, type State } from "./consent-model.ts";
import { type ConsentParts, openConsentParts, scope } from "./consent-parts.ts";

const ids = ["a", "b", "c"];
const emails = ["x@b.org", "y@b.org"];
const phones = ["+12125550123", "+12125550124"];
const groups = ["letter", "news"];
const smsGroup = "offers";

const id = fc.constantFrom(...ids);
const email = fc.constantFrom(...emails);
const phone = fc.constantFrom(...phones);
const group = fc.constantFrom(...groups);
const state = fc.constantFrom<State>("subscribed", "unsubscribed");
const status = fc.constantFrom("opted_in" as const, "subscribed" as const, "unsubscribed" as const);

const emailMarks: readonly ModelMark[] = ["blocklisted", "hard_bounced", "spam", "bounce_removed", "spam_removed"];
const phoneMarks = ["provider_error", "deactivated", "removed"] as const;

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant("setById" as const), id, group, state }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("setByEmail" as const), email, group, state }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("track" as const), id, email: fc.option(email), group, state }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("attach" as const), id, email: fc.option(email) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("attachPhone" as const), id, phone: fc.option(phone) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("setByPhone" as const), phone, state }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("status" as const), email, status }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("ownStatus" as const), id, email: fc.option(email, { nil: undefined }), status }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("mark" as const), email, mark: fc.constantFrom(...emailMarks) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("markPhone" as const), phone, mark: fc.constantFrom(...phoneMarks) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("delete" as const), id }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("merge" as const), source: id, target: id }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("undo" as const) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

const stateNumbers = { subscribed: SubscriptionState.SUBSCRIBED, unsubscribed: SubscriptionState.UNSUBSCRIBED };
const statusNumbers = {
  opted_in: EmailStatus.OPTED_IN,
  subscribed: EmailStatus.SUBSCRIBED,
  unsubscribed: EmailStatus.UNSUBSCRIBED,
};

const reasonNumbers = { provider_error: PhoneMark.PROVIDER_ERROR, deactivated: PhoneMark.DEACTIVATED };

/** Plays one operation on both; merges that can be undone are kept in `jobs`, newest last. */
async function play(parts: ConsentParts, model: ConsentModel, step: { operation: Operation; jobs: string[] }): Promise<void> {
  const { operation: one, jobs } = step;
  switch (one.op) {
    case "setById":
      model.setById(one.id, one.group, one.state);
      return void await set(parts, { subscriptionGroupId: one.group, state: stateNumbers[one.state], externalIds: [one.id] });
    case "setByEmail":
      model.setByAddress({ kind: "email", value: one.email }, one.group, one.state);
      return void await set(parts, { subscriptionGroupId: one.group, state: stateNumbers[one.state], emails: [one.email] });
    case "track":
      model.attach(one.id, "email", one.email ?? undefined);
      model.setShared(one.id, one.group, one.state);
      return void await parts.track([{
        external_id: one.id,
        ...(one.email !== null && { email: one.email }),
        subscription_groups: [{ subscription_group_id: one.group, subscription_state: one.state }],
      }]);
    case "attach":
      model.attach(one.id, "email", one.email);
      return void await parts.track([{ external_id: one.id, email: one.email }]);
    case "attachPhone":
      model.attach(one.id, "phone", one.phone);
      return void await parts.track([{ external_id: one.id, phone: one.phone }]);
    case "setByPhone":
      model.setByAddress({ kind: "phone", value: one.phone }, smsGroup, one.state);
      return void await set(parts, { subscriptionGroupId: smsGroup, state: stateNumbers[one.state], phones: [one.phone] });
    case "delete":
      model.delete(one.id);
      return void await parts.profile.deleteUsers({ scope, users: [{ key: key(one.id) }] });
    case "merge": {
      const { jobId } = await parts.profile.mergeUsers({
        scope,
        updates: [{ source: { key: key(one.source) }, target: { key: key(one.target) } }],
      });
      if (model.merge(one.source, one.target)) jobs.push(jobId);
      return;
    }
    case "undo":
      return undo(parts, model, jobs);
    default:
      return await playStatus(parts, model, one);
  }
}

type StatusOperation = Extract<Operation, { op: "status" | "ownStatus" | "mark" | "markPhone" }>;

async function playStatus(parts: ConsentParts, model: ConsentModel, one: StatusOperation): Promise<void> {
  const { messagingStatus } = parts;
  switch (one.op) {
    case "status":
      model.statuses.set(one.email, one.status);
      return void await messagingStatus.setEmailStatus({ scope, emails: [one.email], status: statusNumbers[one.status] });
    case "ownStatus":
      model.setOwnStatus(one.id, one.status, one.email);
      return void await parts.track([{
        external_id: one.id,
        email_subscribe: one.status,
        ...(one.email !== undefined && { email: one.email }),
      }]);
    case "mark":
      model.mark(one.email, one.mark);
      return void await markEmail(parts, one.email, one.mark);
    case "markPhone":
      model.markPhone(one.phone, one.mark);
      return void await (one.mark === "removed"
        ? messagingStatus.removeInvalidPhones({ scope, phones: [one.phone] })
        : messagingStatus.reportInvalidPhone({ scope, phones: [one.phone], reason: reasonNumbers[one.mark] }));
  }
}

/** As who learns it says it: a client, or a sender. */
function markEmail({ messagingStatus }: ConsentParts, email: string, mark: ModelMark): Promise<unknown> {
  const emails = [email];
  switch (mark) {
    case "hard_bounced":
      return messagingStatus.reportBounce({ scope, emails });
    case "spam":
      return messagingStatus.reportSpam({ scope, emails });
    case "blocklisted":
      return messagingStatus.markEmails({ scope, emails, mark: EmailMark.BLOCKLISTED });
    case "bounce_removed":
      return messagingStatus.markEmails({ scope, emails, mark: EmailMark.BOUNCE_REMOVED });
    case "spam_removed":
      return messagingStatus.markEmails({ scope, emails, mark: EmailMark.SPAM_REMOVED });
  }
}

/** The resolver says whether a merge can be taken back; that is tested elsewhere, so the model follows it. */
async function undo(parts: ConsentParts, model: ConsentModel, jobs: string[]): Promise<void> {
  const jobId = jobs.pop();
  if (jobId === undefined) return;
  const merge = model.takeMerge();
  const done = await parts.profile.undoMerge({ scope, jobId, index: 0 }).then(() => true, () => false);
  if (done) model.undo(merge);
}

function set(parts: ConsentParts, update: object) {
  return parts.subscription.setStatus({ scope, updates: [update] });
}

function key(value: string) {
  return { key: { case: "externalId" as const, value } };
}

const shown = new Map<State | undefined, MembershipStatus>([
  [undefined, MembershipStatus.UNKNOWN],
  ["subscribed", MembershipStatus.SUBSCRIBED],
  ["unsubscribed", MembershipStatus.UNSUBSCRIBED],
]);

async function compare(parts: ConsentParts, model: ConsentModel): Promise<void> {
  for (const subscriptionGroupId of [...groups, smsGroup]) {
    const { statuses } = await parts.subscription.getStatus({ scope, subscriptionGroupId, users: ids.map(key) });
    expect(statuses, subscriptionGroupId).toEqual(ids.map((user) => shown.get(model.state(user, subscriptionGroupId))));
  }
  const { states } = await parts.messagingStatus.getEmailStates({ scope, emails });
  expect(states.map(({ status, rejected, spam }) => [status, rejected, spam])).toEqual(
    emails.map((address) => {
      const known = model.statuses.get(address);
      const status = known === undefined ? EmailStatus.UNSPECIFIED : statusNumbers[known];
      return [status, model.rejected.has(address), model.spam.has(address)];
    }),
  );
  const { phones: invalid } = await parts.messagingStatus.listInvalidPhones({ scope, filter: { addresses: phones } });
  expect(new Map(invalid.map(({ address, reason }) => [address, reason]))).toEqual(
    new Map(Array.from(model.invalid, ([number, reason]) => [number, reasonNumbers[reason]])),
  );
  expect((await parts.subscription.verifyLedger({ scope })).damage).toBeUndefined();
  expect((await parts.messagingStatus.verifyLedger({ scope })).damage).toBeUndefined();
}

test("consent is what the model says, after every operation", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 30, size: "max" }), async (operations) => {
      const parts = await openConsentParts();
      try {
        const model = new ConsentModel();
        const jobs: string[] = [];
        for (const one of operations) {
          await play(parts, model, { operation: one, jobs });
          await compare(parts, model);
        }
      } finally {
        await parts.close();
      }
    }),
    { numRuns: Number(process.env["HEDDLE_CONSENT_HISTORIES"] ?? 500) },
  );
}, 600_000);
