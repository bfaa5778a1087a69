/** The status of users' addresses: the EmailStatuses port by the messaging-status service's GetEmailStates. */
import type { Client } from "@connectrpc/connect";
import { namesOf } from "../../../platform/enum-names.ts";
import { EmailStatus } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { MessagingStatusService } from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { EmailStatuses } from "../domain/read/email-statuses.ts";

/** The caller has waited for its own lanes; the service waits for those of the addresses. */
export function emailStatusesBy(client: Pick<Client<typeof MessagingStatusService>, "getEmailStates">): EmailStatuses {
  return {
    async load({ workspaceId, requestId = "", traceparent = "" }, addresses) {
      const scope = { workspaceId, requestId, traceparent };
      const { states, behind } = await client.getEmailStates({ scope, emails: [...addresses], waited: true });
      const statuses = new Map(states.flatMap(({ status }, at) => {
        const name = names.get(status);
        return name === undefined ? [] : [[addresses[at] ?? "", name] as const];
      }));
      return { statuses, behind };
    },
  };
}

const names = namesOf(EmailStatus);
