/** Writes that a client may send twice: a repeat does nothing, and is answered as the first request was. */
import { Buffer } from "node:buffer";
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { idempotencyOfMessage, type Repeats } from "../../../platform/intake/idempotency.ts";
import { positionToToken } from "../../../platform/intake/position.ts";
import type { IntakeBody } from "../../../platform/intake/record-bytes.ts";
import { limits } from "../../../platform/limits.ts";
import { type Scoped, scopeOf } from "../../../platform/request-context.ts";
import type { Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ItemOutcome } from "../domain/identity/identity.ts";
import { submit, submitDecided, type WriteDeps, type Written } from "../intake/submit.ts";

/** A request with what it asks of the log. */
interface Asked<Input extends DescMessage, Output extends DescMessage> {
  readonly method: DescMethodUnary<Input, Output>;
  readonly message: MessageShape<Input> & Scoped<Scope>;
  readonly body: IntakeBody;
  /** The answer as far as it is known before the request is decided. */
  readonly answer?: MessageInitShape<Output>;
}

/** Answers when the request is durable. Refuses as `submit` does. */
export async function write<Input extends DescMessage, Output extends DescMessage>(
  deps: WriteDeps,
  asked: Asked<Input, Output>,
): Promise<MessageShape<Output>> {
  return (await send(deps, asked, submit)).answer;
}

/** When the resolver has decided it: with what became of each element, for a repeat that of the first request. Refuses as `submitDecided` does. */
export async function writeDecided<Input extends DescMessage, Output extends DescMessage>(
  deps: WriteDeps,
  asked: Asked<Input, Output>,
): Promise<{ readonly answer: MessageShape<Output>; readonly items: readonly ItemOutcome[] }> {
  const { answer, written } = await send(deps, asked, submitDecided);
  return { answer, items: written.outcome.items ?? [] };
}

async function send<Input extends DescMessage, Output extends DescMessage, Sent extends Written>(
  deps: WriteDeps,
  { method: { input, output }, message, body, answer }: Asked<Input, Output>,
  submitted: (...args: Parameters<typeof submit>) => Promise<Sent>,
): Promise<{ answer: MessageShape<Output>; written: Sent }> {
  const first = create(output, answer);
  const idempotency = idempotencyOfMessage(input, message, repeatedWith(output, first));
  const written = await submitted(deps, scopeOf(message), { body, idempotency });
  return { answer: answered(output, first, written), written };
}

/** An answer that is known before the request is decided, as its repeats are given it. */
export function repeatedWith<Answer extends DescMessage>(
  schema: Answer,
  message: MessageShape<Answer>,
  keepMs: number = limits.idempotencyKeepMs,
): Repeats {
  return { keepMs, answer: toBinary(schema, message) };
}

/** The answer with its place in the log; that of the first request where this one was a repeat. */
export function answered<Answer extends DescMessage>(
  schema: Answer,
  first: MessageShape<Answer>,
  { repeatOf, position }: Written,
): MessageShape<Answer> {
  const answer = repeatOf === undefined ? first : fromBinary(schema, Buffer.from(repeatOf, "base64"));
  return Object.assign(answer, { position: positionToToken(position) }, repeatOf === undefined ? undefined : { replayed: true });
}
