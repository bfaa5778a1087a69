/** RPC GetEmailStates, for exports and senders. */
import { create } from "@bufbuild/protobuf";
import { EmailStatus } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { unknownAddress } from "../domain/address-state.ts";
import { statusNumbers } from "./status-numbers.ts";
import {
  type GetEmailStatesRequest,
  type GetEmailStatesResponse,
  GetEmailStatesResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "../../consent/rpc/operator.ts";
import { isLate } from "./request.ts";

export async function handleGetEmailStates(parts: ServiceParts, message: GetEmailStatesRequest): Promise<GetEmailStatesResponse> {
  const scope = scopeOf(message);
  const { emails } = message;
  const late = message.waited ? !await parts.caught.ask(scope, emails)() : await isLate(parts, scope, emails);
  const { workspaceId } = scope;
  const [known, held] = await Promise.all([parts.store.load(workspaceId, emails), parts.isHeld(workspaceId, emails)]);
  const states = message.emails.map((email) => {
    const { status, rejected, spamAt } = known.get(email) ?? unknownAddress(email);
    return {
      status: status === null ? EmailStatus.UNSPECIFIED : statusNumbers[status],
      rejected: rejected !== null,
      spam: spamAt !== null,
    };
  });
  return create(GetEmailStatesResponseSchema, { states, behind: late || held });
}
