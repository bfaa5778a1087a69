/** MessagingStatusService: one line an RPC. */
import { operatorRoutes } from "../../consent/rpc/operator.ts";
import type { ServiceImpl } from "@connectrpc/connect";
import type { MessagingStatusService } from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { handleCreateUnsubscribeLink } from "./create-unsubscribe-link.ts";
import { handleGetEmailStates } from "./get-email-states.ts";
import { handleGetHistory } from "./get-history.ts";
import { handleListHardBounces } from "./list-hard-bounces.ts";
import { handleListInvalidPhones } from "./list-invalid-phones.ts";
import { handleListUnsubscribes } from "./list-unsubscribes.ts";
import { handleMarkEmails } from "./mark-emails.ts";
import { handleOpenUnsubscribeLink } from "./open-unsubscribe-link.ts";
import { handleRemoveInvalidPhones } from "./remove-invalid-phones.ts";
import { handleReportBounce } from "./report-bounce.ts";
import { handleReportInvalidPhone } from "./report-invalid-phone.ts";
import { handleReportSpam } from "./report-spam.ts";
import { handleRotateLinkKey } from "./rotate-link-key.ts";
import { handleSetEmailStatus } from "./set-email-status.ts";
import { handleUseUnsubscribeLink } from "./use-unsubscribe-link.ts";
import type { ServiceParts } from "./parts.ts";

export function messagingStatusRoutes(parts: ServiceParts): ServiceImpl<typeof MessagingStatusService> {
  return {
    setEmailStatus: (message) => handleSetEmailStatus(parts, message),
    markEmails: (message) => handleMarkEmails(parts, message),
    removeInvalidPhones: (message) => handleRemoveInvalidPhones(parts, message),
    reportBounce: (message) => handleReportBounce(parts, message),
    reportSpam: (message) => handleReportSpam(parts, message),
    reportInvalidPhone: (message) => handleReportInvalidPhone(parts, message),
    getEmailStates: (message) => handleGetEmailStates(parts, message),
    listUnsubscribes: (message, context) => handleListUnsubscribes(parts, message, context),
    listHardBounces: (message, context) => handleListHardBounces(parts, message, context),
    listInvalidPhones: (message, context) => handleListInvalidPhones(parts, message, context),
    createUnsubscribeLink: (message) => handleCreateUnsubscribeLink(parts, message),
    openUnsubscribeLink: (message) => handleOpenUnsubscribeLink(parts, message),
    useUnsubscribeLink: (message) => handleUseUnsubscribeLink(parts, message),
    rotateLinkKey: (message) => handleRotateLinkKey(parts, message),
    getHistory: (message) => handleGetHistory(parts, message),
    ...operatorRoutes(parts),
  };
}
