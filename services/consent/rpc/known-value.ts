/** Values of enums in messages: proto3 hands on any number, and one that nobody knows would be a record that nobody can apply. */
import type { DescEnum } from "@bufbuild/protobuf";
import { Refusal } from "../../../platform/refusal.ts";

/** Refuses INPUT_INVALID for UNSPECIFIED, and for a number that the enum does not have. */
export function knownValue<Value extends number>(kinds: DescEnum, sent: Value, what: string): Value {
  if (sent !== 0 && kinds.value[sent] !== undefined) return sent;
  throw new Refusal("INPUT_INVALID", `Expected ${what}, got the number ${sent}`);
}
