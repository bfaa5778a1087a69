/** What the services that own consent append: the body of heddle.intake.v1.IntakeRecord -> ConsentBody of the domain. */
import { toBinary } from "@bufbuild/protobuf";
import { numbersOf } from "../../../platform/enum-names.ts";
import { ChangeGroupsSchema, EmailMark, EmailStatus, PhoneMark, SubscriptionState } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type * as intake from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { ConsentBody } from "../domain/record/intake-record.ts";

export type ConsentMessage = Extract<
  intake.IntakeRecord["body"],
  { case: "setMemberships" | "setEmailStatuses" | "markEmails" | "markPhones" | "changeGroups" }
>;

/** Throws on a state that no version of a writer sends. */
export function consentFromMessage(body: ConsentMessage): ConsentBody {
  switch (body.case) {
    case "setMemberships":
      return {
        type: "setMemberships",
        updates: body.value.updates.map(({ subscriptionGroupId, state, externalIds, emails, phones, userIds }) => ({
          groupId: subscriptionGroupId,
          state: nameOf(membershipNumbers, state),
          externalIds,
          emails,
          phones,
          userIds,
        })),
      };
    case "setEmailStatuses":
      return { type: "setEmailStatuses", emails: body.value.emails, status: nameOf(statusNumbers, body.value.status) };
    case "markEmails":
      return { type: "markEmails", emails: body.value.emails, mark: nameOf(emailMarkNumbers, body.value.mark) };
    case "markPhones":
      return { type: "markPhones", phones: body.value.phones, mark: nameOf(phoneMarkNumbers, body.value.mark) };
    case "changeGroups":
      return { type: "changeGroups", change: toBinary(ChangeGroupsSchema, body.value) };
  }
}

function nameOf<Name extends string>(numbers: Readonly<Record<Name, number>>, wanted: number): Name {
  for (const name in numbers) {
    if (numbers[name] === wanted) return name;
  }
  throw new Error(`Expected one of ${Object.keys(numbers).join(", ")}, got the number ${wanted}`);
}

export const membershipNumbers = numbersOf(SubscriptionState);
export const statusNumbers = numbersOf(EmailStatus);
export const emailMarkNumbers = numbersOf(EmailMark);
export const phoneMarkNumbers = numbersOf(PhoneMark);
