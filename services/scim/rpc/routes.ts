/** ScimService: one entry an RPC, each only messages to domain values and back. */
import type { ServiceImpl } from "@connectrpc/connect";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import {
  type DescribeRequest,
  Document,
  type ListUsersRequest,
  type LogRequestRequest,
  type PatchUserRequest,
  type RecordSignInRequest,
  type ReplaceUserRequest,
  type ScimService,
} from "../../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { createUser } from "../domain/create-user.ts";
import { deleteUser } from "../domain/delete-user.ts";
import { describe, type Document as DocumentName } from "../domain/discovery.ts";
import type { ListMemory } from "../domain/list-memory.ts";
import { listUsers } from "../domain/list-users.ts";
import { logEntry } from "../domain/log-entry.ts";
import type { LogEntry, RequestLog, ScimDeps } from "../domain/ports.ts";
import { recordSignIn } from "../domain/record-sign-in.ts";
import { foundUser, patchUserById, replaceUser, type Target } from "../domain/replace-user.ts";
import { answerOf } from "../domain/write-user.ts";
import { bodyOf, callerOf, directoryOf, shownTo, userAnswer, writerOf } from "./request.ts";

export interface ServiceDeps extends ScimDeps {
  readonly memory: ListMemory;
  readonly log: Pick<RequestLog, "append">;
}

export function scimRoutes(deps: ServiceDeps): ServiceImpl<typeof ScimService> {
  return {
    async createUser({ scope, bodyJson, ...message }) {
      const caller = writerOf(scope, bodyJson);
      const { permissionsOptional } = message;
      const asked = { ...shownTo(caller, message), body: bodyOf(bodyJson), permissionsOptional };
      return { user: userAnswer(await createUser(deps, caller, asked)) };
    },
    async getUser({ scope, id, ...message }) {
      const caller = callerOf(scope);
      const shown = shownTo(caller, message);
      return { user: userAnswer(answerOf(await foundUser(deps, caller.companyId, id), shown)) };
    },
    listUsers: (message, { signal }) => handleListUsers(deps, message, signal),
    async replaceUser({ scope, ...message }) {
      const caller = writerOf(scope, message.bodyJson);
      return { user: userAnswer(await replaceUser(deps, caller, targetOf(caller, message))) };
    },
    async patchUser({ scope, ...message }) {
      const caller = writerOf(scope, message.bodyJson);
      return { user: userAnswer(await patchUserById(deps, caller, targetOf(caller, message))) };
    },
    async deleteUser({ scope, id, ifMatch }) {
      const caller = callerOf(scope);
      await deleteUser(deps, caller, { id, ifMatch, renderer: shownTo(caller, {}).renderer });
      return {};
    },
    async describe(message) {
      return { documentJson: Buffer.from(JSON.stringify(described(message))) };
    },
    async recordSignIn(message) {
      return { id: (await recordSignIn(deps, signInOf(message))).id };
    },
    async logRequest(message) {
      await deps.log.append([entryOf(message, deps.clock.now())]);
      return {};
    },
    async logRequests({ requests }) {
      if (requests.length > limits.scimNotesPerCallMax) {
        throw new Refusal("INPUT_INVALID", `Expected at most ${limits.scimNotesPerCallMax} requests, got ${requests.length}`);
      }
      await deps.log.append(requests.map((message) => entryOf(message, deps.clock.now())));
      return {};
    },
  };
}

function entryOf({ scope, status, reason, detail }: Omit<LogRequestRequest, "$typeName">, now: number): LogEntry {
  const refusal = { ...(reason === "" ? {} : { reason }), ...(detail === "" ? {} : { detail }) };
  return logEntry(callerOf(scope), now, { outcome: "", status, ...refusal });
}

async function handleListUsers(deps: ServiceDeps, message: ListUsersRequest, signal: AbortSignal) {
  const caller = callerOf(message.scope);
  const { filter, startIndex, count, sortBy, descending } = message;
  const { companyId, baseUrl } = caller;
  const names = JSON.stringify([directoryOf(message.directory), baseUrl]);
  const question = { companyId, filter, startIndex, count, sortBy, descending, names, signal, ...shownTo(caller, message) };
  const { totalResults, startIndex: first, usersJson } = await listUsers(deps, question);
  return { totalResults, startIndex: first, usersJson: usersJson.map((user) => Buffer.from(user)) };
}

type TargetMessage = Omit<ReplaceUserRequest | PatchUserRequest, "scope" | "$typeName">;

function targetOf(caller: ReturnType<typeof callerOf>, { id, ifMatch, bodyJson, ...message }: TargetMessage): Target {
  return { ...shownTo(caller, message), id, ifMatch, body: bodyOf(bodyJson) };
}

const documents: ReadonlyMap<Document, DocumentName> = new Map([
  [Document.SERVICE_PROVIDER_CONFIG, "config"],
  [Document.SCHEMAS, "schemas"],
  [Document.RESOURCE_TYPES, "resourceTypes"],
]);

function described({ document, id, scope }: DescribeRequest) {
  const name = documents.get(document);
  if (name === undefined) throw new Refusal("INPUT_INVALID", "Expected the name of a document");
  return describe(name, id, callerOf(scope).baseUrl);
}

function signInOf({ companyId, user, at }: RecordSignInRequest) {
  if (user.case === undefined) throw new Refusal("INPUT_INVALID", "Expected the id or the name of a user");
  const who = user.case === "id" ? { id: user.value } : { userName: user.value };
  const ms = Number(at);
  // No user could be shown with it
  if (Number.isNaN(new Date(ms).getTime())) throw new Refusal("INPUT_INVALID", `Expected the Unix milliseconds of a date, got ${at}`);
  return { companyId, at: ms, ...who };
}
