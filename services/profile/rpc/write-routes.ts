/** The RPCs that write, but for what is tracked: checked here, and put into the order of their workspace. */
import { hasAtMostChars } from "../../../platform/text.ts";
import { Buffer } from "node:buffer";
import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { aliasPartToWrite, externalIdsToWrite, externalIdToWrite } from "../../../platform/intake/names.ts";
import { positionFromToken, positionToToken } from "../../../platform/intake/position.ts";
import { limits } from "../../../platform/limits.ts";
import { partitionOf } from "../../../platform/log/partition.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  type Alias,
  type AliasRename,
  EngagementReport_Channel,
  type ExternalIdRename,
  type NewAlias,
} from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { ObjectErrorSchema, ProfileService } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ItemOutcome } from "../domain/identity/identity.ts";
import { isDeviceName } from "../domain/resolve/devices.ts";
import { decidedRepeat, submit } from "../intake/submit.ts";
import { selectorToWrite, userKeyToWrite } from "../intake/user-key-message.ts";
import type { ServiceDeps } from "./request.ts";
import { write, writeDecided } from "./write.ts";

type Routes = Partial<ServiceImpl<typeof ProfileService>>;
const { method } = ProfileService;

/** Names of users: answered when the resolver has decided each element. */
export function nameRoutes(deps: ServiceDeps) {
  return {
    async createAliases(message) {
      const aliases = message.aliases.map(newAliasToWrite);
      const asked = { body: { case: "createAliases" as const, value: { aliases } }, answer: { aliasesProcessed: aliases.length } };
      const { answer, items } = await writeDecided(deps, { method: method.createAliases, message, ...asked });
      const errors = errorsOf(items, "user_aliases");
      return Object.assign(answer, { errors, aliasesProcessed: answer.aliasesProcessed - errors.length });
    },
    async updateAliases(message) {
      const body = { case: "renameAliases" as const, value: { renames: message.renames.map(aliasRenameToWrite) } };
      const { answer, items } = await writeDecided(deps, { method: method.updateAliases, message, body });
      return Object.assign(answer, { errors: errorsOf(items, "alias_updates") });
    },
    async renameExternalIds(message) {
      const body = { case: "renameExternalIds" as const, value: { renames: message.renames.map(renameToWrite) } };
      const { answer, items } = await writeDecided(deps, { method: method.renameExternalIds, message, body });
      return Object.assign(answer, { renamed: takenOf(items, message.renames), errors: errorsOf(items, "external_id_renames") });
    },
    async removeExternalIds(message) {
      const externalIds = externalIdsToWrite(message.externalIds);
      const body = { case: "removeExternalIds" as const, value: { externalIds } };
      const { answer, items } = await writeDecided(deps, { method: method.removeExternalIds, message, body });
      return Object.assign(answer, { removedIds: takenOf(items, externalIds), errors: errorsOf(items, "external_ids") });
    },
  } satisfies Routes;
}

/** The answer of a merge is a receipt: GetMergeStatus reports what came of it. */
export function mergeRoutes(deps: ServiceDeps) {
  return {
    async mergeUsers(message) {
      const jobId = deps.newJobId();
      const updates = message.updates.map(({ source, target }) => ({ source: selectorToWrite(source), target: selectorToWrite(target) }));
      const body = { case: "mergeUsers" as const, value: { jobId, updates } };
      return await write(deps, { method: method.mergeUsers, message, body, answer: { jobId } });
    },
    async identifyUsers(message) {
      const jobId = deps.newJobId();
      const identifications = message.identifications.map(({ user, externalId }) => {
        return { user: selectorToWrite(user), externalId: externalIdToWrite(externalId, "an external id") };
      });
      const body = { case: "identifyUsers" as const, value: { jobId, identifications } };
      return await write(deps, { method: method.identifyUsers, message, body, answer: { jobId } });
    },
    /** Answered when the resolver has decided it. */
    async undoMerge(message) {
      const { jobId, index } = message;
      const body = { case: "undoMerge" as const, value: { jobId, index } };
      const { answer, items } = await writeDecided(deps, { method: method.undoMerge, message, body });
      const refused = items.find((item) => !item.ok);
      if (refused !== undefined) throw new Refusal("STATE_CONFLICT", refused.reason);
      return answer;
    },
    async deleteUsers(message) {
      const users = message.users.map(selectorToWrite);
      const body = { case: "deleteUsers" as const, value: { users } };
      return await write(deps, { method: method.deleteUsers, message, body, answer: { deleted: users.length } });
    },
  } satisfies Routes;
}

/** What operators and other services write. */
export function serviceRoutes(deps: ServiceDeps) {
  return {
    /** Answered when this process takes data of the user again. */
    async admitUser(message) {
      const body = { case: "admitUser" as const, value: { user: userKeyToWrite(message.user) } };
      const { answer, items: [item] } = await writeDecided(deps, { method: method.admitUser, message, body });
      if (item !== undefined && !item.ok) throw new Refusal("NOT_FOUND", item.reason);
      await deps.rejected.look();
      return answer;
    },
    async reportSession(message) {
      const { report } = message;
      if (report === undefined) throw new Refusal("INPUT_INVALID", "Expected a report, got none");
      const user = userKeyToWrite(report.user);
      checkReportTime("started_at", report.startedAt);
      const { appId, device } = report;
      checkReportTexts({ app_id: appId }, { model: device?.model ?? "", os: device?.os ?? "" });
      if (device !== undefined && !isDeviceName(device.deviceId)) {
        throw new Refusal("INPUT_INVALID", `'device_id' must be a text of 1 to ${limits.deviceIdBytesMax} bytes without U+0000`);
      }
      const { position } = await submit(deps, scopeOf(message), { body: { case: "sessionReport", value: { ...report, user } } });
      return { position: positionToToken(position) };
    },
    async reportEngagement(message) {
      const { report } = message;
      if (report === undefined) throw new Refusal("INPUT_INVALID", "Expected a report, got none");
      const user = userKeyToWrite(report.user);
      checkReportTime("at", report.at);
      const { messageId, interaction, name, channel } = report;
      checkReportTexts({ message_id: messageId, interaction }, { name });
      if (!channels.has(channel)) throw new Refusal("INPUT_INVALID", `Expected the channel campaign or canvas, got ${channel}`);
      const { position } = await submit(deps, scopeOf(message), { body: { case: "engagementReport", value: { ...report, user } } });
      return { position: positionToToken(position) };
    },
    /** What became of a request that another service appended. Refuses POSITION_INVALID for a place of another workspace's order, too. */
    async awaitOutcome(message) {
      const position = positionFromToken(message.position);
      const partition = partitionOf(scopeOf(message).workspaceId, deps.intake.log.partitions);
      if (position?.partition !== partition) throw new Refusal("POSITION_INVALID");
      const { repeatOf } = await decidedRepeat(deps, position);
      return { repeat: repeatOf !== undefined, answer: Buffer.from(repeatOf ?? "", "base64") };
    },
  } satisfies Routes;
}

/** An empty external id stands for none. */
function newAliasToWrite({ externalId, alias }: NewAlias) {
  const { label, name } = aliasToWrite(alias);
  return { externalId: externalId === "" ? "" : externalIdToWrite(externalId, "an external id"), alias: { label, name } };
}

function aliasToWrite(alias: Alias | undefined) {
  return { label: aliasPartToWrite(alias?.label ?? "", "a label"), name: aliasPartToWrite(alias?.name ?? "", "a name of an alias") };
}

function aliasRenameToWrite({ label, oldName, newName }: AliasRename) {
  return {
    label: aliasPartToWrite(label, "a label"),
    oldName: aliasPartToWrite(oldName, "an old name"),
    newName: aliasPartToWrite(newName, "a new name"),
  };
}

function renameToWrite({ currentExternalId, newExternalId }: ExternalIdRename) {
  return {
    currentExternalId: externalIdToWrite(currentExternalId, "a current external id"),
    newExternalId: externalIdToWrite(newExternalId, "a new external id"),
  };
}

/** The elements that were taken. */
function takenOf<Element>(items: readonly ItemOutcome[], asked: readonly Element[]): Element[] {
  const taken = new Set(items.filter((item) => item.ok).map((item) => item.index));
  return asked.filter((_, index) => taken.has(index));
}

function errorsOf(items: readonly ItemOutcome[], inputArray: string) {
  return items.filter((item) => !item.ok).map(({ reason, index }) => create(ObjectErrorSchema, { type: reason, inputArray, index }));
}

/** Refuses INPUT_INVALID for a time before every date, which no profile could show. One in the future is taken as now. */
function checkReportTime(field: string, ms: bigint): void {
  if (ms < earliestMs) throw new Refusal("INPUT_INVALID", `'${field}' must be the Unix milliseconds of a date, got ${ms}`);
}

/** Refuses INPUT_INVALID for a text longer than `stringValueCharsMax`, and for an empty one of `required`. */
function checkReportTexts(required: Readonly<Record<string, string>>, optional: Readonly<Record<string, string>>): void {
  const most = limits.stringValueCharsMax;
  for (const [field, text] of Object.entries({ ...required, ...optional })) {
    if (hasAtMostChars(text, most) && (text !== "" || field in optional)) continue;
    throw new Refusal("INPUT_INVALID", `'${field}' must be a text of ${field in optional ? "at most" : "1 to"} ${most} characters`);
  }
}

const channels: ReadonlySet<EngagementReport_Channel> = new Set([EngagementReport_Channel.CAMPAIGN, EngagementReport_Channel.CANVAS]);
const earliestMs = -8_640_000_000_000_000n;
