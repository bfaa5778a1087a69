/** Programming errors in the way of a call: its caller learns only that the outcome is unknown, so the log has to say it. */
import type { DescMethod } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import { RemoteFault } from "./refusal-wire.ts";

/**
 * Logs `rpc_call_defect` where the call failed by an error that no connection and no other side makes. Its stack is logged and its
 * text is not, as that of a message that cannot be written quotes the value.
 */
export function noteDefect(logger: Logger, error: unknown, method: DescMethod): void {
  if (isDefect(error)) logger.error("rpc_call_defect", withoutTexts(error), { method: `${method.parent.typeName}/${method.name}` });
}

/** Errors of connections are ConnectError, or have a code; those of the language are a mistake, wherever in the chain they stand. */
function isDefect(error: unknown): boolean {
  if (error instanceof Refusal || error instanceof RemoteFault) return false;
  if (chainOf(error).some(isOfLanguage)) return true;
  if (error instanceof ConnectError) return notAMessage.test(error.rawMessage);
  return (error as { code?: unknown } | undefined)?.code === undefined;
}

/** Connect keeps no more than this text of an error in the writing or reading of a message. */
const notAMessage = /^(serialize|parse) binary: /;

function isOfLanguage(error: unknown): boolean {
  return languageErrors.some((kind) => error instanceof kind);
}

const languageErrors = [TypeError, RangeError, ReferenceError, SyntaxError, URIError, EvalError];

function withoutTexts(error: unknown): unknown {
  return chainOf(error).reduceRight<unknown>((cause, each) => {
    if (!(each instanceof Error)) return new Error(typeof each);
    const safe = Object.assign(new Error("", { cause }), { name: each.name, code: (each as { code?: unknown }).code });
    safe.stack = [each.name, ...(each.stack ?? "").split("\n").filter((line) => frame.test(line))].join("\n");
    return safe;
  }, undefined);
}

const frame = /^\s+at .+:\d+:\d+\)?$/;

/** The error and its causes, outermost first. */
function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let each = error; each !== undefined && each !== null && chain.length < limits.logCausesMax;) {
    chain.push(each);
    each = each instanceof Error ? each.cause : undefined;
  }
  return chain;
}
