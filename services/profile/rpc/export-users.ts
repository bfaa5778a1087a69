/** RPC ExportUsers. */
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type ExportUsersRequest,
  type ExportUsersResponse,
  ExportUsersResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ReadParts } from "../domain/catch-up.ts";
import { type EmailStatuses, statusesOf, statusOf } from "../domain/email-statuses.ts";
import { exportUsers } from "../domain/export-users.ts";
import { renderProfile } from "../domain/render-profile.ts";
import { userKeyFromMessage } from "../intake/user-key-message.ts";
import { toJsonBytes } from "./json-bytes.ts";
import { readOf } from "./request.ts";

export async function handleExportUsers(
  parts: ReadParts & { readonly emailStatuses: EmailStatuses },
  message: ExportUsersRequest,
  { signal }: Pick<HandlerContext, "signal">,
): Promise<ExportUsersResponse> {
  const { fields, currencyRates, customAttributes, deviceId } = message;
  const named = message.users.map(userKeyFromMessage);
  const users = deviceId === undefined ? named : [...named, { by: "device" as const, id: deviceId }];
  const request = { ...readOf(message), signal };
  const { profiles, waiting, unknown, behind } = await exportUsers(parts, { ...request, users });
  const statuses = await statusesOf(parts, profiles, { ...request, fields, waiting });
  signal.throwIfAborted();
  return create(ExportUsersResponseSchema, {
    usersJson: profiles.map((profile) =>
      toJsonBytes(renderProfile(profile, { fields, currencyRates, customAttributes, ...statusOf(statuses, profile) }))
    ),
    unknown: [...unknown],
    behind: behind || statuses.behind,
  });
}
