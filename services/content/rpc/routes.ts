/** ContentService: one entry an RPC, each only messages to domain values and back. */
import type { ServiceImpl } from "@connectrpc/connect";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import {
  type ContentService,
  CreatePreferenceCenterRequestSchema,
  type DeclarePreferenceCentersRequest,
  RestorePreferenceCenterVersionRequestSchema,
  UpdatePreferenceCenterRequestSchema,
} from "../../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { WrittenVersion } from "../domain/center-ports.ts";
import type { CenterParts } from "../domain/center-ports.ts";
import { createCenter, declareCenters, foundCenter, restoreCenter, updateCenter } from "../domain/change-center.ts";
import type { Written } from "../domain/write-center.ts";
import type { PageLinks } from "../links/page-links.ts";
import { callerOf, contentMessage, draftOf, summaryMessage, versionMessage, writerOf } from "./center-messages.ts";

export interface ServiceParts extends CenterParts {
  readonly links: PageLinks;
}

export function contentRoutes(parts: ServiceParts): Partial<ServiceImpl<typeof ContentService>> {
  return {
    async createPreferenceCenter(message) {
      const caller = writerOf(CreatePreferenceCenterRequestSchema, message);
      return receipt(await createCenter(parts, caller, { name: message.name, draft: draftOf(message.content) }));
    },
    async updatePreferenceCenter(message) {
      const caller = writerOf(UpdatePreferenceCenterRequestSchema, message);
      return receipt(await updateCenter(parts, caller, { id: message.id, draft: draftOf(message.content) }));
    },
    async getPreferenceCenter(message) {
      const center = await foundCenter(parts, callerOf(message).workspaceId, message.id);
      return { center: { ...summaryMessage({ ...center, state: center.content.state }), content: contentMessage(center.content) } };
    },
    async listPreferenceCenters(message) {
      return { centers: (await parts.centers.summaries(callerOf(message).workspaceId)).map(summaryMessage) };
    },
    declarePreferenceCenters: (message) => handleDeclare(parts, message),
    async listPreferenceCenterVersions(message) {
      const { workspaceId } = callerOf(message);
      await foundCenter(parts, workspaceId, message.id);
      const limit = Math.min(message.limit || limits.preferenceVersionsPageMax, limits.preferenceVersionsPageMax);
      const versions = await parts.centers.versions(workspaceId, message.id, { before: message.before || newest, limit });
      return { versions: versions.map(versionMessage) };
    },
    async getPreferenceCenterVersion(message) {
      const { written, content } = await foundVersion(parts, callerOf(message).workspaceId, message);
      return { version: versionMessage(written), content: contentMessage(content) };
    },
    async restorePreferenceCenterVersion(message) {
      const caller = writerOf(RestorePreferenceCenterVersionRequestSchema, message);
      const { center, replayed } = receipt(await restoreCenter(parts, caller, message));
      return { center, replayed };
    },
    async rotatePreferenceLinkKey() {
      return { keyId: String(await parts.links.rotate()) };
    },
  };
}

/** Above every version. */
const newest = 2 ** 31 - 1;

function receipt({ answer, replayed }: Written) {
  return { center: summaryMessage(answer), replayed, warnings: [...answer.warnings] };
}

async function handleDeclare(parts: ServiceParts, message: DeclarePreferenceCentersRequest) {
  const { settings } = message;
  const { answers, changed } = await declareCenters(parts, callerOf(message), {
    centers: message.centers.map(({ name, content }) => ({ name, draft: draftOf(content) })),
    ...(settings ? { settings: { scriptsAllowed: settings.scriptsAllowed, origins: settings.origins } } : {}),
  });
  return { centers: answers.map(summaryMessage), changed };
}

async function foundVersion(
  parts: ServiceParts,
  workspaceId: string,
  { id, version }: { readonly id: string; readonly version: number },
): Promise<WrittenVersion> {
  const found = await parts.centers.version(workspaceId, id, version);
  if (found === undefined) throw new Refusal("NOT_FOUND", `No preference center has this id and a version ${version}`);
  return found;
}
