/** Lists whose entries are taken one by one: what is good goes on, what is not is reported by its place. */
import { Refusal } from "../../platform/refusal.ts";
import type { ObjectError } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";

/** One entry of `errors` as clients read it (api-facts 2.1). */
export interface ElementError {
  readonly type: string;
  readonly input_array: string;
  readonly index: number;
  /** There where the object was taken: what was not taken of it. */
  readonly field?: string;
}

export interface Taken<T> {
  readonly values: readonly T[];
  /** Place of each value in the list that was sent. */
  readonly places: readonly number[];
  readonly errors: readonly ElementError[];
}

/** Decodes each entry; an INPUT_INVALID of one becomes its error, anything else is thrown on. */
export function takeEach<I, T>(list: readonly I[], inputArray: string, decode: (entry: I) => T): Taken<T> {
  const values: T[] = [];
  const places: number[] = [];
  const errors: ElementError[] = [];
  for (const [index, entry] of list.entries()) {
    try {
      values.push(decode(entry));
      places.push(index);
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason !== "INPUT_INVALID") throw error;
      errors.push({ type: error.message, input_array: inputArray, index });
    }
  }
  return { values, places, errors };
}

/** Errors of a service, which counted in the list it was given, as places in the list that was sent. */
export function errorsAtPlaces(
  errors: readonly (Pick<ObjectError, "type" | "inputArray" | "index"> & { readonly field?: string })[],
  places?: readonly number[],
): ElementError[] {
  return errors.map(({ type, inputArray, index, field }) => ({
    type,
    input_array: inputArray,
    index: places?.[index] ?? index,
    ...(field ? { field } : {}),
  }));
}

/** In the order of the list. */
export function inOrder(errors: readonly ElementError[]): readonly ElementError[] {
  return errors.toSorted((a, b) => a.index - b.index);
}
