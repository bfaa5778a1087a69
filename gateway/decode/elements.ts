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
  /** Which list of the request it is, where `input_array` is the same for several. */
  readonly list?: string;
}

export interface Taken<T> {
  readonly values: readonly T[];
  /** Place of each value in the list that was sent. */
  readonly places: readonly number[];
  readonly errors: readonly ElementError[];
  /** Of the first that is not good. */
  readonly refusal: Refusal | undefined;
}

/** Decodes each entry; an INPUT_INVALID of one becomes its error, anything else is thrown on. */
export function takeEach<I, T>(list: readonly I[], inputArray: string, decode: (entry: I, index: number) => T): Taken<T> {
  const values: T[] = [];
  const places: number[] = [];
  const errors: ElementError[] = [];
  let refusal: Refusal | undefined;
  for (const [index, entry] of list.entries()) {
    try {
      values.push(decode(entry, index));
      places.push(index);
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason !== "INPUT_INVALID") throw error;
      refusal ??= error;
      errors.push({ type: textOf(error), input_array: inputArray, index });
    }
  }
  return { values, places, errors, refusal };
}

/** All entries or none: refuses INPUT_INVALID as the first that is not good does, with the places of all of those. */
export function takeAll<I, T>(list: readonly I[], inputArray: string, decode: (entry: I, index: number) => T): T[] {
  const { values, errors, refusal } = takeEach(list, inputArray, decode);
  if (refusal !== undefined) throw new Refusal(refusal.reason, refusal.message, { errors });
  return [...values];
}

/** Of an entry with a list of its own, the place in that too. */
function textOf({ message, details }: Refusal): string {
  const [inner] = (details.errors ?? []) as readonly ElementError[];
  return inner === undefined ? message : `${message} ('${inner.input_array}' at ${inner.index})`;
}

/** Errors of a service, which counted in the list it was given, as places in the list that was sent. */
export function errorsAtPlaces(
  errors: readonly (Pick<ObjectError, "type" | "inputArray" | "index"> & { readonly field?: string | undefined })[],
  places?: readonly number[],
): ElementError[] {
  return errors.map(({ type, inputArray, index, field }) => ({
    type,
    input_array: inputArray,
    index: places?.[index] ?? index,
    ...(field === undefined ? {} : { field }),
  }));
}

/** In the order of the list. */
export function inOrder(errors: readonly ElementError[]): readonly ElementError[] {
  return errors.toSorted((a, b) => a.index - b.index);
}
