/** A checked request put into the order of its workspace. */
import { type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { type IntakeBody, type Submitted, submitTo } from "../../../platform/intake/intake.ts";
import { limits } from "../../../platform/limits.ts";
import type { Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "../../consent/rpc/operator.ts";

/** `message` is the whole request: a repeat with the same idempotency key must be equal to it. */
export function write<Asked extends DescMessage>(
  { intake }: Pick<ServiceParts, "intake">,
  asked: { readonly schema: Asked; readonly message: MessageShape<Asked> & { readonly scope?: Scope | undefined } },
  body: IntakeBody,
): Promise<Submitted> {
  const scope = scopeOf(asked.message);
  const fingerprint = scope.idempotencyKey === "" ? new Uint8Array() : toBinary(asked.schema, { ...asked.message, scope: undefined });
  return submitTo(intake, scope, { body, fingerprint, keepMs: limits.idempotencyKeepMs });
}
