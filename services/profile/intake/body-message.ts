/** What a request asks: the body of heddle.intake.v1.IntakeRecord -> IntakeBody of the domain. */
import { Buffer } from "node:buffer";
import type { IntakeBody as IntakeBodyInit } from "../../../platform/intake/record-bytes.ts";
import * as intake from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { BodyOf, IntakeBody } from "../domain/record/intake-record.ts";
import type { TrackObject } from "../domain/record/track-object.ts";
import { consentFromMessage } from "./consent-message.ts";
import { selectorFromMessage, userKeyFromMessage } from "./user-key-message.ts";

type BodyMessage = intake.IntakeRecord["body"];

/** What /users/track took: as JSON, which is decoded in half the time of hundreds of small messages. */
export function trackBody(objects: readonly TrackObject[]): IntakeBodyInit {
  return { case: "track", value: { objectsJson: Buffer.from(JSON.stringify(objects)) } };
}

/** Throws on a body that no version of the writer makes: the record becomes a dead letter. */
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
function newAliasFromMessage(message: intake.NewAlias): NewAlias {
  const alias = { label: message.alias?.label ?? "", name: message.alias?.name ?? "" };
  return message.externalId === "" ? { alias } : { externalId: message.externalId, alias };
}

function renameFromMessage(message: intake.ExternalIdRename): { current: string; next: string } {
  return { current: message.currentExternalId, next: message.newExternalId };
}

export function mergeUpdateFromMessage(message: intake.MergeUpdate): BodyOf<"mergeUsers">["updates"][number] {
  return { source: selectorFromMessage(message.source), target: selectorFromMessage(message.target) };
}

function identificationFromMessage(message: intake.Identification): BodyOf<"identifyUsers">["identifications"][number] {
  return { user: selectorFromMessage(message.user), externalId: message.externalId };
}

function sessionFromMessage(message: intake.SessionReport): BodyOf<"reportSession"> {
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

function engagementFromMessage(message: intake.EngagementReport): BodyOf<"reportEngagement"> {
  const { messageId, name, interaction } = message;
  const channel = message.channel === intake.EngagementReport_Channel.CANVAS ? "canvas" : "campaign";
  const user = userKeyFromMessage(message.user);
  return { type: "reportEngagement", user, channel, messageId, name, interaction, at: Number(message.at) };
}

type UserBody = BodyOf<"mergeUsers" | "identifyUsers" | "deleteUsers" | "reportSession" | "reportEngagement" | "admitUser">;
type UserBodyMessage = Extract<
  BodyMessage,
  { case: "mergeUsers" | "identifyUsers" | "deleteUsers" | "sessionReport" | "engagementReport" | "admitUser" }
>;
type NewAlias = BodyOf<"createAliases">["aliases"][number];
