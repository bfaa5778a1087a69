/** The check of a /users/track body: what is taken, and a verdict for every object that is not. */
import { Refusal } from "../../../../platform/refusal.ts";
import { limits } from "../../../../platform/limits.ts";
import { attributesVerdicts, checkAttributes } from "./check-attributes.ts";
import { checkEvent, eventVerdicts } from "./check-event.ts";
import { checkObject, isObject, type RawObject } from "../values/check-json.ts";
import { checkPurchase, purchaseVerdicts } from "./check-purchase.ts";
import { FieldFaults, Verdict } from "../values/check-verdict.ts";
import { rejectedText } from "../profile/rejection.ts";
import type { TrackObject } from "../record/track-object.ts";
import { nameOf } from "../record/user-key.ts";

/** Most objects of a request; 0 is no limit. */
export interface CheckOptions {
  readonly objectsPerArrayMax: number;
  readonly objectsMax: number;
  readonly objectsPerUserMax: number;
  /** Ids of the subscription groups of the workspace; absent where they could not be asked for. */
  readonly groups?: ReadonlySet<string> | undefined;
  /** Names of rejected users, whose objects are not taken, by `nameOf`; absent where there are none. */
  readonly rejected?: ReadonlySet<string> | undefined;
}

export type InputArray = "attributes" | "events" | "purchases";

/** Why one object, or a field of one, was not taken: the form in which clients read it, but for the spelling of its names. */
export interface ObjectError {
  readonly type: string;
  readonly inputArray: InputArray;
  readonly index: number;
  /** There where the object was taken: what was not taken of it. */
  readonly field?: string;
}

/** Counts are of accepted objects, and there for the arrays that were sent; a sent array without a valid object has 0. */
export interface TrackReport {
  /** Attributes, then events, then purchases, each in the order of its array. */
  readonly objects: TrackObject[];
  readonly attributesProcessed?: number;
  readonly eventsProcessed?: number;
  readonly purchasesProcessed?: number;
  readonly errors: ObjectError[];
}

const arrays = [
  { name: "attributes", count: "attributesProcessed", check: checkAttributes, verdicts: attributesVerdicts },
  { name: "events", count: "eventsProcessed", check: checkEvent, verdicts: eventVerdicts },
  { name: "purchases", count: "purchasesProcessed", check: checkPurchase, verdicts: purchaseVerdicts },
] as const;

/**
 * Checks a parsed body; reads no state and changes nothing it is given (accepted objects may share parts of it).
 * Source: "POST /users/track", Limits; api-facts 2.1, 2.2, 2.8, 11.15. Unknown keys at the top are ignored, `api_key` too, a null array
 * is one that was not sent.
 * @throws {Refusal} INPUT_INVALID for what is not of the shape, BATCH_TOO_LARGE, NOTHING_VALID with `details.errors` as
 *   `{ type, input_array, index }`.
 */
export function checkTrack(body: unknown, options: CheckOptions): TrackReport {
  if (!isObject(body)) throw new Refusal("INPUT_INVALID", "The body must be a JSON object");
  const lists = arrays.map(({ name }) => listOf(body, name));
  refuseTooMany(lists, options);
  const report: Draft = { objects: [], errors: [] };
  for (const [at, list] of lists.entries()) checkList(report, { list, at }, options);
  if (report.objects.length === 0) throw nothingValid(report.errors);
  if (options.objectsPerUserMax > 0) refuseTooManyOfOneUser(report.objects, options.objectsPerUserMax);
  return report;
}

type Draft = { -readonly [K in keyof TrackReport]: TrackReport[K] };

function listOf(body: RawObject, name: InputArray): readonly unknown[] | undefined {
  const list = Object.hasOwn(body, name) ? body[name] : undefined;
  if (list === undefined || list === null) return undefined;
  if (!Array.isArray(list)) throw new Refusal("INPUT_INVALID", `'${name}' must be an array of objects`);
  return list;
}

function refuseTooMany(lists: readonly (readonly unknown[] | undefined)[], options: CheckOptions): void {
  const lengths = lists.map((list) => list?.length ?? 0);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const isArrayTooLong = lengths.some((length) => isOver(length, options.objectsPerArrayMax));
  if (isArrayTooLong || isOver(total, options.objectsMax)) throw tooLarge();
}

interface Listed {
  readonly list: readonly unknown[] | undefined;
  /** Which of the arrays. */
  readonly at: number;
}

function checkList(report: Draft, { list, at }: Listed, { groups, rejected }: CheckOptions): void {
  const array = arrays[at];
  if (list === undefined || array === undefined) return;
  const before = report.objects.length;
  let faults = new FieldFaults();
  for (const [index, value] of list.entries()) {
    const place = { inputArray: array.name, index };
    try {
      const object = checkObject<TrackObject>(value, (raw) => array.check(raw, faults, groups));
      if (rejected?.has(nameOf(object.user))) {
        report.errors.push({ type: rejectedText, ...place });
        faults = new FieldFaults();
        continue;
      }
      report.objects.push(object);
      if (faults.count > 0) reportFields(report, place, faults);
    } catch (error) {
      if (!(error instanceof Verdict)) throw error;
      for (const type of verdictsAbout(value, error, (raw) => array.verdicts(raw, groups))) report.errors.push({ type, ...place });
    }
    if (faults.count > 0) faults = new FieldFaults();
  }
  report[array.count] = report.objects.length - before;
}

/** The first that was found, then all others; that alone where the rest cannot be walked through. */
function verdictsAbout(value: unknown, first: Verdict, all: (raw: RawObject) => string[]): string[] {
  try {
    return [...new Set([first.message, ...checkObject(value, all)])].slice(0, limits.fieldFaultsPerObjectMax);
  } catch (error) {
    if (error instanceof Verdict) return [first.message];
    throw error;
  }
}

/** Once the report has many errors, an object adds only its first and how many there are: the answer stays small. */
function reportFields(
  report: Draft,
  place: { readonly inputArray: InputArray; readonly index: number },
  { list, count }: FieldFaults,
): void {
  const reported = report.errors.length < limits.fieldFaultsPerRequestMax ? list : list.slice(0, 1);
  for (const [at, { field, text }] of reported.entries()) {
    const more = at === reported.length - 1 && count > reported.length ? `; ${count - reported.length} more fields were not taken` : "";
    report.errors.push({ type: text + more, ...place, field });
  }
}

function refuseTooManyOfOneUser(objects: readonly TrackObject[], most: number): void {
  const counts = new Map<string, number>();
  for (const { user } of objects) {
    const name = nameOf(user);
    const count = (counts.get(name) ?? 0) + 1;
    if (count > most) throw tooLarge();
    counts.set(name, count);
  }
}

function isOver(count: number, most: number): boolean {
  return most > 0 && count > most;
}

function tooLarge(): Refusal {
  return new Refusal("BATCH_TOO_LARGE", "Max Input Length Exceeded");
}

function nothingValid(errors: readonly ObjectError[]): Refusal {
  const shown = errors.map(({ type, inputArray, index }) => ({ type, input_array: inputArray, index }));
  return new Refusal("NOTHING_VALID", "Valid data must be provided in the 'attributes', 'events', or 'purchases' fields.", {
    errors: shown,
  });
}
