/** Messages to what the domain is asked with. */
import { bodyHashOf, hexOf } from "../../../platform/intake/idempotency.ts";
import { parseJson } from "../../../platform/json.ts";
import { limits } from "../../../platform/limits.ts";
import { sha256Hex } from "../../../platform/identifier.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Directory as DirectoryMessage, Projection, Scope, UserAnswer } from "../../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { Answer, Caller } from "../domain/ports.ts";
import { openProjection } from "../domain/project-user.ts";
import { openRenderer } from "../domain/render-user.ts";
import type { Directory } from "../domain/user.ts";
import type { Shown, Written } from "../domain/write-user.ts";

/** Refuses INPUT_INVALID for a request that names no company. */
export function callerOf(scope: Scope | undefined): Caller {
  if (scope === undefined || scope.companyId === "") throw new Refusal("INPUT_INVALID", "Expected a scope with a company, got none");
  const { companyId, requestId, actor: tokenId, origin, method, target, baseUrl } = scope;
  return { companyId, requestId, tokenId, origin, method, target, baseUrl };
}

/** As callerOf, with the mark of a request that may be sent twice: the key counts for its token, method and path alone. */
export function writerOf(scope: Scope | undefined, body: Uint8Array): Caller {
  const caller = callerOf(scope);
  const key = scope?.idempotencyKey ?? "";
  if (key === "") return caller;
  const [path] = caller.target.split("?");
  const requestHash = sha256Hex(JSON.stringify([caller.tokenId, caller.method, path, key]));
  return { ...caller, idempotency: { requestHash, bodyHash: hexOf(bodyHashOf({ sentHash: scope?.sentHash }, body)) } };
}

export function bodyOf(bytes: Uint8Array): unknown {
  return parseJson(bytes, { depthMax: limits.jsonDepthMax });
}

export function directoryOf(message: DirectoryMessage | undefined): Directory {
  return {
    workspaces: message?.workspaces ?? [],
    permissionSets: message?.permissionSets ?? [],
    defaultWorkspaceId: message?.defaultWorkspaceId ?? "",
  };
}

/** How users are shown to this caller. */
export function shownTo(
  caller: Caller,
  message: { readonly directory?: DirectoryMessage | undefined; readonly projection?: Projection | undefined },
): Shown & { readonly directory: Directory } {
  const directory = directoryOf(message.directory);
  const { attributes = [], excludedAttributes = [] } = message.projection ?? {};
  return {
    directory,
    renderer: openRenderer(directory, caller.baseUrl),
    project: openProjection({ attributes, excluded: excludedAttributes }),
  };
}

export function userAnswer(answer: Answer & Partial<Pick<Written, "replayed" | "logged">>): Omit<UserAnswer, "$typeName"> {
  const { userJson, id, etag, replayed = false, logged = false } = answer;
  return { userJson: Buffer.from(userJson), id, etag, replayed, logged };
}
