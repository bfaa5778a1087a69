/** Records of the intake log as tests make them: IntakeRecord of the domain -> heddle.intake.v1.IntakeRecord. */
import { Buffer } from "node:buffer";
import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { encodeRecord as writeRecord, type IntakeBody as BodyInit } from "../../../platform/intake/record-bytes.ts";
import * as intake from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { ChangeGroupsSchema } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { BodyOf, ConsentBody, Engagement, IntakeBody, IntakeRecord } from "../domain/record/intake-record.ts";
import type { Priority, UserKey, UserSelector } from "../domain/record/user-key.ts";
import { trackBody } from "./body-message.ts";
import { emailMarkNumbers, membershipNumbers, phoneMarkNumbers, statusNumbers } from "./consent-message.ts";

/** A record before the log gave it its place. */
export type IntakeEntry = Omit<IntakeRecord, "sequence">;

export function encodeRecord(entry: IntakeEntry): Uint8Array {
  const { traceparent = "", receivedAt, idempotency, ...origin } = entry;
  const mark = idempotency && {
    keyHash: Buffer.from(idempotency.keyHash, "hex"),
    bodyHash: Buffer.from(idempotency.bodyHash, "hex"),
    sentHash: Buffer.from(idempotency.sentHash ?? "", "hex"),
    keepMs: BigInt(idempotency.keepMs),
    answer: Buffer.from(idempotency.answer, "base64"),
  };
  return writeRecord({ ...origin, traceparent }, { body: bodyToMessage(entry.body), idempotency: mark }, receivedAt);
}

function bodyToMessage(body: IntakeBody): BodyInit {
  switch (body.type) {
    case "track":
      return trackBody(body.objects);
    case "createAliases":
      return { case: "createAliases", value: { aliases: body.aliases.map(newAliasToMessage) } };
    case "renameAliases":
      return { case: "renameAliases", value: { renames: [...body.renames] } };
    case "renameExternalIds":
      return { case: "renameExternalIds", value: { renames: body.renames.map(renameToMessage) } };
    case "removeExternalIds":
      return { case: "removeExternalIds", value: { externalIds: [...body.externalIds] } };
    case "undoMerge":
      return { case: "undoMerge", value: { jobId: body.jobId, index: body.index } };
    case "setMemberships":
    case "setEmailStatuses":
    case "markEmails":
    case "markPhones":
    case "changeGroups":
      return consentToMessage(body);
    default:
      return userBodyToMessage(body);
  }
}

function userBodyToMessage(body: UserBody): BodyInit {
  switch (body.type) {
    case "mergeUsers":
      return {
        case: "mergeUsers",
        value: {
          jobId: body.jobId,
          updates: body.updates.map((update) => ({
            source: selectorToMessage(update.source),
            target: selectorToMessage(update.target),
          })),
        },
      };
    case "identifyUsers":
      return {
        case: "identifyUsers",
        value: {
          jobId: body.jobId,
          identifications: body.identifications.map((one) => ({
            user: selectorToMessage(one.user),
            externalId: one.externalId,
          })),
        },
      };
    case "deleteUsers":
      return { case: "deleteUsers", value: { users: body.users.map(selectorToMessage) } };
    case "reportSession":
      return { case: "sessionReport", value: sessionToMessage(body) };
    case "reportEngagement":
      return { case: "engagementReport", value: engagementToMessage(body) };
    case "admitUser":
      return { case: "admitUser", value: { user: userKeyToMessage(body.user) } };
  }
}

function newAliasToMessage({ externalId, alias }: NewAlias): MessageInitShape<typeof intake.NewAliasSchema> {
  return { externalId: externalId ?? "", alias: { label: alias.label, name: alias.name } };
}

function renameToMessage(rename: { current: string; next: string }): MessageInitShape<typeof intake.ExternalIdRenameSchema> {
  return { currentExternalId: rename.current, newExternalId: rename.next };
}

function sessionToMessage(body: BodyOf<"reportSession">): MessageInitShape<typeof intake.SessionReportSchema> {
  const session = { user: userKeyToMessage(body.user), appId: body.appId, startedAt: BigInt(body.startedAt) };
  return body.device === undefined ? session : { ...session, device: { ...body.device } };
}

function engagementToMessage(body: BodyOf<"reportEngagement">): MessageInitShape<typeof intake.EngagementReportSchema> {
  return {
    user: userKeyToMessage(body.user),
    channel: channelNumbers[body.channel],
    messageId: body.messageId,
    name: body.name,
    interaction: body.interaction,
    at: BigInt(body.at),
  };
}

const channelNumbers: Record<Engagement["channel"], intake.EngagementReport_Channel> = {
  campaign: intake.EngagementReport_Channel.CAMPAIGN,
  canvas: intake.EngagementReport_Channel.CANVAS,
};

function consentToMessage(body: ConsentBody): BodyInit {
  switch (body.type) {
    case "setMemberships":
      return {
        case: "setMemberships",
        value: {
          updates: body.updates.map(({ groupId, state, externalIds, emails, phones, userIds }) => ({
            subscriptionGroupId: groupId,
            state: membershipNumbers[state],
            externalIds: [...externalIds],
            emails: [...emails],
            phones: [...phones],
            userIds: [...userIds],
          })),
        },
      };
    case "setEmailStatuses":
      return { case: "setEmailStatuses", value: { emails: [...body.emails], status: statusNumbers[body.status] } };
    case "markEmails":
      return { case: "markEmails", value: { emails: [...body.emails], mark: emailMarkNumbers[body.mark] } };
    case "markPhones":
      return { case: "markPhones", value: { phones: [...body.phones], mark: phoneMarkNumbers[body.mark] } };
    case "changeGroups":
      return { case: "changeGroups", value: fromBinary(ChangeGroupsSchema, body.change) };
  }
}

type UserKeyInit = MessageInitShape<typeof intake.UserKeySchema>;
type UserSelectorInit = MessageInitShape<typeof intake.UserSelectorSchema>;

function userKeyToMessage(key: UserKey): UserKeyInit {
  switch (key.by) {
    case "externalId":
      return { key: { case: "externalId", value: key.id } };
    case "alias":
      return { key: { case: "alias", value: { label: key.label, name: key.name } } };
    case "platformId":
      return { key: { case: "platformId", value: key.id } };
    case "email":
      return { key: { case: "email", value: key.address } };
    case "phone":
      return { key: { case: "phone", value: key.number } };
  }
}

function selectorToMessage(selector: UserSelector): UserSelectorInit {
  return {
    key: userKeyToMessage(selector.key),
    prioritization: selector.prioritization.map((priority) => priorityNumbers[priority]),
  };
}

const priorityNumbers: Record<Priority, intake.Priority> = {
  identified: intake.Priority.IDENTIFIED,
  unidentified: intake.Priority.UNIDENTIFIED,
  most_recently_updated: intake.Priority.MOST_RECENTLY_UPDATED,
  least_recently_updated: intake.Priority.LEAST_RECENTLY_UPDATED,
};

type UserBody = BodyOf<"mergeUsers" | "identifyUsers" | "deleteUsers" | "reportSession" | "reportEngagement" | "admitUser">;
type NewAlias = BodyOf<"createAliases">["aliases"][number];
