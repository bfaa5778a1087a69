/** ContentService: one entry an RPC, each only messages to domain values and back. */
import type { ServiceImpl } from "@connectrpc/connect";
import { limits } from "../../../platform/limits.ts";
import {
  type ContentService,
  CreatePreferenceCenterRequestSchema,
  type DeclarePreferenceCentersRequest,
  type DiffPreferenceCenterVersionsRequest,
  type PreviewPreferenceCenterRequest,
  RestorePreferenceCenterVersionRequestSchema,
  UpdatePreferenceCenterRequestSchema,
} from "../../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { CenterDeps } from "../domain/center-ports.ts";
import { contentFields } from "../domain/center.ts";
import { createCenter, foundCenter, foundVersion, restoreCenter, updateCenter } from "../domain/change-center.ts";
import { contentFrom } from "../domain/check-center.ts";
import { declareCenters } from "../domain/declare-centers.ts";
import { lineDiff } from "../domain/line-diff.ts";
import type { Consent, Person } from "../domain/page-ports.ts";
import { noFields } from "../domain/person-fields.ts";
import type { Written } from "../domain/write-center.ts";
import { choicePage, confirmationPage, loadPages, type Shown } from "../page/hosted-page.ts";
import { callerOf, contentMessage, draftOf, summaryMessage, versionMessage, writerOf } from "./center-messages.ts";
import { fieldChangeMessages } from "./field-change-messages.ts";
import { handleCreateLink, handleOpenPage, handleSubmitPage, type HostedDeps } from "./hosted-pages.ts";

export type ServiceDeps = CenterDeps & HostedDeps;

export function contentRoutes(deps: ServiceDeps): ServiceImpl<typeof ContentService> {
  return {
    async createPreferenceCenter(message) {
      const caller = writerOf(CreatePreferenceCenterRequestSchema, message);
      return receipt(await createCenter(deps, caller, { name: message.name, draft: draftOf(message.content) }));
    },
    async updatePreferenceCenter(message) {
      const caller = writerOf(UpdatePreferenceCenterRequestSchema, message);
      return receipt(await updateCenter(deps, caller, { id: message.id, draft: draftOf(message.content) }));
    },
    previewPreferenceCenter: (message) => handlePreview(deps, message),
    async getPreferenceCenter(message) {
      const center = await foundCenter(deps, callerOf(message).workspaceId, message.id);
      return { center: { ...summaryMessage({ ...center, state: center.content.state }), content: contentMessage(center.content) } };
    },
    async listPreferenceCenters(message) {
      return { centers: (await deps.centers.summaries(callerOf(message).workspaceId)).map(summaryMessage) };
    },
    declarePreferenceCenters: (message) => handleDeclare(deps, message),
    async listPreferenceCenterVersions(message) {
      const { workspaceId } = callerOf(message);
      const { id } = await foundCenter(deps, workspaceId, message.id);
      const limit = Math.min(message.limit || limits.preferenceVersionsPageMax, limits.preferenceVersionsPageMax);
      const versions = await deps.centers.versions(workspaceId, id, { before: message.before || newest, limit });
      return { versions: versions.map(versionMessage) };
    },
    async getPreferenceCenterVersion(message) {
      const center = await foundCenter(deps, callerOf(message).workspaceId, message.id);
      const { written, content } = await foundVersion(deps, center, message.version);
      return { version: versionMessage(written), content: contentMessage(content) };
    },
    diffPreferenceCenterVersions: (message) => handleDiff(deps, message),
    async restorePreferenceCenterVersion(message) {
      const caller = writerOf(RestorePreferenceCenterVersionRequestSchema, message);
      const { center, replayed } = receipt(await restoreCenter(deps, caller, message));
      return { center, replayed };
    },
    createPreferencePageLink: (message) => handleCreateLink(deps, message),
    openPreferencePage: (message) => handleOpenPage(deps, message),
    submitPreferencePage: (message) => handleSubmitPage(deps, message),
    async rotatePreferenceLinkKey() {
      return { keyId: String(await deps.links.rotate()) };
    },
  };
}

/** Above every version. */
const newest = 2 ** 31 - 1;

function receipt({ answer, replayed }: Written) {
  return { center: summaryMessage(answer), replayed, warnings: [...answer.warnings] };
}

async function handleDeclare(deps: ServiceDeps, message: DeclarePreferenceCentersRequest) {
  const { settings } = message;
  const { changes, settings: settingsChanges } = await declareCenters(deps, callerOf(message), {
    centers: message.centers.map(({ name, id, content }) => ({ name, draft: draftOf(content), ...(id === "" ? {} : { id }) })),
    ...(settings ? { settings: { scriptsAllowed: settings.scriptsAllowed, origins: settings.origins } } : {}),
    dryRun: message.dryRun,
  });
  return {
    centers: changes.map(({ center }) => summaryMessage(center)),
    changed: changes.filter(({ action }) => action !== "unchanged").length,
    changes: changes.map(({ action, center, warnings, fields }) => ({
      action,
      center: summaryMessage(center),
      warnings: [...warnings],
      fields: message.dryRun ? fieldChangeMessages(fields) : [],
    })),
    settings: message.dryRun ? fieldChangeMessages(settingsChanges) : [],
  };
}

async function handleDiff(deps: ServiceDeps, message: DiffPreferenceCenterVersionsRequest) {
  const center = await foundCenter(deps, callerOf(message).workspaceId, message.id);
  const [from, to] = await Promise.all([foundVersion(deps, center, message.from), foundVersion(deps, center, message.to)]);
  const before = contentFields(from.content);
  const fields = [...contentFields(to.content)].map(([field, text]) => ({
    field,
    unified: lineDiff(before.get(field) ?? "", text),
  }));
  return { fields: fields.filter(({ unified }) => unified !== "") };
}

type PreviewDeps = Pick<CenterDeps, "centers"> & { readonly consent: Consent };

async function handlePreview({ centers, consent }: PreviewDeps, message: PreviewPreferenceCenterRequest) {
  const { workspaceId, requestId } = callerOf(message);
  const [center, settings] = await Promise.all([foundCenter({ centers }, workspaceId, message.id), centers.settings(workspaceId)]);
  const draft = { ...center, content: contentFrom(draftOf(message.content), center.content) };
  // Of its own: what is not published is never looked for beside what people open
  const pages = await loadPages();
  const warnings = pages.check(draft.content, settings);
  const person: Person = { userId: "", email: "person@example.com" };
  const states = await consent.states(
    { workspaceId, requestId, traceparent: message.scope?.traceparent ?? "" },
    { ...person, email: null },
  );
  // Without a frame, so nothing of it runs
  const shown: Shown = { center: draft, settings, person, states, fields: noFields };
  return {
    pageHtml: choicePage(pages, shown).html,
    answerHtml: confirmationPage(pages, shown, { groups: new Map() }).html,
    warnings: [...warnings],
  };
}
