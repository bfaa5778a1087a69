/** What a request asks: IntakeBody of the domain <-> the body of heddle.intake.v1.IntakeRecord. */
import { Buffer } from "node:buffer";
import type { MessageInitShape } from "@bufbuild/protobuf";
import * as intake from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { Engagement, IntakeBody } from "../domain/intake-record.ts";
import type { TrackObject } from "../domain/track-object.ts";
import { consentFromMessage, consentToMessage } from "./consent-message.ts";
import { selectorFromMessage, selectorToMessage, userKeyFromMessage, userKeyToMessage } from "./user-key-message.ts";

export type BodyInit = NonNullable<MessageInitShape<typeof intake.IntakeRecordSchema>["body"]>;
type BodyMessage = intake.IntakeRecord["body"];

export function bodyToMessage(body: IntakeBody): BodyInit {
  switch (body.type) {
    case "track":
      return { case: "track", value: { objectsJson: Buffer.from(JSON.stringify(body.objects)) } };
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

/** Throws on a body that no version of the writer makes: the record is poison. */
export function bodyFromMessage(body: BodyMessage): IntakeBody {
  switch (body.case) {
    case "track":
      return { type: "track", objects: objectsFromJson(body.value.objectsJson) };
    case "createAliases":
      return { type: "createAliases", aliases: body.value.aliases.map(newAliasFromMessage) };
    case "renameAliases":
      return {
        type: "renameAliases",
        renames: body.value.renames.map(({ label, oldName, newName }) => ({ label, oldName, newName })),
      };
    case "renameExternalIds":
      return { type: "renameExternalIds", renames: body.value.renames.map(renameFromMessage) };
    case "removeExternalIds":
      return { type: "removeExternalIds", externalIds: body.value.externalIds };
    case "undoMerge":
      return { type: "undoMerge", jobId: body.value.jobId, index: body.value.index };
    case "setMemberships":
    case "setEmailStatuses":
    case "markEmails":
    case "markPhones":
    case "changeGroups":
      return consentFromMessage(body);
    case undefined:
      throw new Error("Expected an intake record with a body, got none");
    default:
      return userBodyFromMessage(body);
  }
}

function userBodyFromMessage(body: UserBodyMessage): UserBody {
  switch (body.case) {
    case "mergeUsers":
      return {
        type: "mergeUsers",
        jobId: body.value.jobId,
        updates: body.value.updates.map(mergeUpdateFromMessage),
      };
    case "identifyUsers":
      return {
        type: "identifyUsers",
        jobId: body.value.jobId,
        identifications: body.value.identifications.map(identificationFromMessage),
      };
    case "deleteUsers":
      return { type: "deleteUsers", users: body.value.users.map(selectorFromMessage) };
    case "sessionReport":
      return sessionFromMessage(body.value);
    case "engagementReport":
      return engagementFromMessage(body.value);
    case "admitUser":
      return { type: "admitUser", user: userKeyFromMessage(body.value.user) };
  }
}

function objectsFromJson(bytes: Uint8Array): readonly TrackObject[] {
  // The bytes are our own, so they need no checking decoder, which costs a tenth of the whole pass
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const objects: unknown = JSON.parse(text);
  if (!Array.isArray(objects)) throw new Error(`Expected an array of track objects, got ${typeof objects}`);
  return objects;
}

/** An empty external id stands for none (intake.proto). */
export function newAliasFromMessage(message: intake.NewAlias): NewAlias {
  const alias = { label: message.alias?.label ?? "", name: message.alias?.name ?? "" };
  return message.externalId === "" ? { alias } : { externalId: message.externalId, alias };
}

function newAliasToMessage({ externalId, alias }: NewAlias): MessageInitShape<typeof intake.NewAliasSchema> {
  return { externalId: externalId ?? "", alias: { label: alias.label, name: alias.name } };
}

function renameToMessage(rename: { current: string; next: string }): MessageInitShape<typeof intake.ExternalIdRenameSchema> {
  return { currentExternalId: rename.current, newExternalId: rename.next };
}

export function renameFromMessage(message: intake.ExternalIdRename): { current: string; next: string } {
  return { current: message.currentExternalId, next: message.newExternalId };
}

export function mergeUpdateFromMessage(message: intake.MergeUpdate): MergeBody["updates"][number] {
  return { source: selectorFromMessage(message.source), target: selectorFromMessage(message.target) };
}

export function identificationFromMessage(message: intake.Identification): IdentifyBody["identifications"][number] {
  return { user: selectorFromMessage(message.user), externalId: message.externalId };
}

function sessionToMessage(body: SessionBody): MessageInitShape<typeof intake.SessionReportSchema> {
  const session = { user: userKeyToMessage(body.user), appId: body.appId, startedAt: BigInt(body.startedAt) };
  return body.device === undefined ? session : { ...session, device: { ...body.device } };
}

export function sessionFromMessage(message: intake.SessionReport): SessionBody {
  const session = {
    type: "reportSession" as const,
    user: userKeyFromMessage(message.user),
    appId: message.appId,
    startedAt: Number(message.startedAt),
  };
  if (message.device === undefined) return session;
  const { deviceId, model, os } = message.device;
  return { ...session, device: { deviceId, model, os } };
}

function engagementToMessage(body: EngagementBody): MessageInitShape<typeof intake.EngagementReportSchema> {
  return {
    user: userKeyToMessage(body.user),
    channel: channelNumbers[body.channel],
    messageId: body.messageId,
    name: body.name,
    interaction: body.interaction,
    at: BigInt(body.at),
  };
}

export function engagementFromMessage(message: intake.EngagementReport): EngagementBody {
  const { messageId, name, interaction } = message;
  const channel = message.channel === intake.EngagementReport_Channel.CANVAS ? "canvas" : "campaign";
  const user = userKeyFromMessage(message.user);
  return { type: "reportEngagement", user, channel, messageId, name, interaction, at: Number(message.at) };
}

const channelNumbers: Record<Engagement["channel"], intake.EngagementReport_Channel> = {
  campaign: intake.EngagementReport_Channel.CAMPAIGN,
  canvas: intake.EngagementReport_Channel.CANVAS,
};

type MergeBody = Extract<IntakeBody, { type: "mergeUsers" }>;
type IdentifyBody = Extract<IntakeBody, { type: "identifyUsers" }>;
type SessionBody = Extract<IntakeBody, { type: "reportSession" }>;
type EngagementBody = Extract<IntakeBody, { type: "reportEngagement" }>;
type UserBody =
  | MergeBody
  | IdentifyBody
  | SessionBody
  | EngagementBody
  | Extract<IntakeBody, { type: "deleteUsers" | "admitUser" }>;
type UserBodyMessage = Extract<
  BodyMessage,
  { case: "mergeUsers" | "identifyUsers" | "deleteUsers" | "sessionReport" | "engagementReport" | "admitUser" }
>;
type NewAlias = Extract<IntakeBody, { type: "createAliases" }>["aliases"][number];
