/** What messages say of addresses, how long a read waits, and how a write goes into the order of its workspace. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { idempotencyOfMessage } from "../../../platform/intake/idempotency.ts";
import { type IntakeDeps, type Submitted, submitTo } from "../../../platform/intake/intake.ts";
import type { IntakeBody } from "../../../platform/intake/record-bytes.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { type RequestContext, type Scoped, scopeOf } from "../../../platform/request-context.ts";
import type { ProfileService, Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { IsBlocked } from "../../consent/lane/blocked.ts";
import { emailsToWrite, phonesToWrite } from "../../../platform/intake/addresses.ts";
import type { OperatorDeps } from "../../consent/rpc/operator.ts";
import type { AddressStore, ReadBarrier } from "../domain/ports.ts";
import type { UnsubscribeLinks } from "../links/unsubscribe-links.ts";

/** What the RPCs need. */
export interface ServiceDeps extends DepsBeside {
  readonly intake: IntakeDeps;
}

/** What those need that put nothing into the order of a workspace. */
export interface DepsBeside extends OperatorDeps {
  readonly store: AddressStore;
  readonly barrier: ReadBarrier;
  /** Whether records of these addresses wait for a human: then what is read is older than what was answered. */
  readonly isBlocked: IsBlocked;
  readonly profile: Pick<Client<typeof ProfileService>, "resolveUsers">;
  readonly links: UnsubscribeLinks;
}

/** At least one, each in its one form. Refuses INPUT_INVALID. */
export function emailsOf(emails: readonly string[]): string[] {
  if (emails.length === 0) throw new Refusal("INPUT_INVALID", "At least one email address is required");
  return emailsToWrite(emails);
}

/** As emailsOf, for phone numbers in E.164. */
export function phonesOf(phones: readonly string[]): string[] {
  if (phones.length === 0) throw new Refusal("INPUT_INVALID", "At least one phone number is required");
  return phonesToWrite(phones);
}

/** Waits, bounded, until what was answered before the read is in; true where it answers without. */
export async function isLate(
  { profile, barrier }: Pick<ServiceDeps, "profile" | "barrier">,
  scope: Scope,
  addresses: readonly string[] | "all",
): Promise<boolean> {
  const caughtUp = barrier.ask(scope, addresses);
  const { behind } = await profile.resolveUsers({ scope });
  return !await caughtUp() || behind;
}

/** `message` is the whole request: a repeat with the same idempotency key must be equal to it. */
export function write<Asked extends DescMessage>(
  { intake }: Pick<ServiceDeps, "intake">,
  { schema, message }: { readonly schema: Asked; readonly message: MessageShape<Asked> & Scoped<RequestContext> },
  body: IntakeBody,
): Promise<Submitted> {
  return submitTo(intake, scopeOf(message), {
    body,
    idempotency: idempotencyOfMessage(schema, message, { keepMs: limits.idempotencyKeepMs }),
  });
}
