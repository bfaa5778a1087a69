/** ProfileService: one line an RPC. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { ProfileService } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { WorkSource } from "../../../platform/telemetry/work-metrics.ts";
import type { EmailStatuses } from "../domain/email-statuses.ts";
import type { LastChanged } from "../domain/ports.ts";
import type { PreviewPorts } from "../domain/preview-merge.ts";
import type { RejectedUsers } from "../domain/rejection.ts";
import type { SearchPorts } from "../domain/search-users.ts";
import { createUnapplied } from "../intake/unapplied.ts";
import { handleAdmitUser } from "./admit-user.ts";
import { handleAwaitOutcome } from "./await-outcome.ts";
import { handleCreateAliases } from "./create-aliases.ts";
import { handleDeleteUsers } from "./delete-users.ts";
import { handleExportUsers } from "./export-users.ts";
import { handleGetMergeStatus } from "./get-merge-status.ts";
import { handleIdentifyUsers } from "./identify-users.ts";
import type { JobParts } from "../intake/submit.ts";
import { handleGetProgress } from "./get-progress.ts";
import { handleGetSeries } from "./get-series.ts";
import { handleInspectUsers } from "./inspect-users.ts";
import { handleListRejectedUsers } from "./list-rejected-users.ts";
import { handleListUsers } from "./list-users.ts";
import { handleMergeUsers } from "./merge-users.ts";
import { handlePreviewMerge } from "./preview-merge.ts";
import { handleRemoveExternalIds } from "./remove-external-ids.ts";
import { handleRenameExternalIds } from "./rename-external-ids.ts";
import { handleReportEngagement } from "./report-engagement.ts";
import { handleReportSession } from "./report-session.ts";
import { handleResolveUsers } from "./resolve-users.ts";
import { handleSearchUsers } from "./search-users.ts";
import { handleTrackUsersSync } from "./track-users-sync.ts";
import { handleTrackUsers } from "./track-users.ts";
import { handleUndoMerge } from "./undo-merge.ts";
import { handleUpdateAliases } from "./update-aliases.ts";

export type ServiceParts = JobParts & PreviewPorts & SearchPorts & {
  readonly emailStatuses: EmailStatuses;
  readonly lastChanged: LastChanged;
  readonly rejected: RejectedUsers;
  readonly work: WorkSource;
};

export function profileRoutes(parts: ServiceParts): ServiceImpl<typeof ProfileService> {
  const trackDeps = { ...parts, unapplied: createUnapplied({ ...parts, partitions: parts.intake.log.partitions }) };
  return {
    trackUsers: (message) => handleTrackUsers(trackDeps, message),
    trackUsersSync: (message) => handleTrackUsersSync(trackDeps, message),
    exportUsers: (message, context) => handleExportUsers(parts, message, context),
    inspectUsers: (message) => handleInspectUsers(parts, message),
    getProgress: (message) => handleGetProgress(parts.work, message),
    getSeries: (message) => handleGetSeries(parts, message),
    listUsers: (message, context) => handleListUsers(parts, message, context),
    searchUsers: (message, context) => handleSearchUsers(parts, message, context),
    createAliases: (message) => handleCreateAliases(parts, message),
    updateAliases: (message) => handleUpdateAliases(parts, message),
    mergeUsers: (message) => handleMergeUsers(parts, message),
    previewMerge: (message) => handlePreviewMerge(parts, message),
    undoMerge: (message) => handleUndoMerge(parts, message),
    getMergeStatus: (message) => handleGetMergeStatus(parts, message),
    identifyUsers: (message) => handleIdentifyUsers(parts, message),
    deleteUsers: (message) => handleDeleteUsers(parts, message),
    renameExternalIds: (message) => handleRenameExternalIds(parts, message),
    removeExternalIds: (message) => handleRemoveExternalIds(parts, message),
    resolveUsers: (message) => handleResolveUsers(parts, message),
    awaitOutcome: (message) => handleAwaitOutcome(parts, message),
    reportSession: (message) => handleReportSession(parts, message),
    reportEngagement: (message) => handleReportEngagement(parts, message),
    listRejectedUsers: (message) => handleListRejectedUsers(parts, message),
    admitUser: (message) => handleAdmitUser(parts, message),
  };
}
