/** Provenance: which record set each field of a profile, as the record's place in the log. */
import { copyEntries, noEntries, ownEntries } from "../../../platform/own-entries.ts";
import type { CustomValue, FieldValue, StandardField } from "./track-object.ts";

/** The names of a user that are fields of its profile too. */
export type NameField = "external_id" | "user_aliases" | "email" | "phone";

/** Written through `ownEntries`, as the maps of a profile. Sequences of the intake log, of the workspace's partition. A field that was there before provenance was kept has none. */
export interface Sources {
  names: ReadonlyMap<NameField, number>;
  fields: ReadonlyMap<StandardField, number>;
  custom: ReadonlyMap<string, number>;
}

export function noSources(): Sources {
  return { names: noEntries(), fields: noEntries(), custom: noEntries() };
}

export function copySources({ names, fields, custom }: Sources): Sources {
  return { names: copyEntries(names), fields: copyEntries(fields), custom: copyEntries(custom) };
}

/** What a field was, and the record that may have changed it, undefined where that is unknown. */
export interface Change<Value> {
  readonly before: Value | undefined;
  readonly source: number | undefined;
}

/** A profile, as far as this file knows it. */
interface Sourced {
  readonly fields: ReadonlyMap<StandardField, FieldValue>;
  readonly custom: ReadonlyMap<string, CustomValue>;
  readonly sources: Sources;
}

/** Notes which record set a standard field, where its value is another than before. */
export function noteField(
  { fields, sources }: Pick<Sourced, "fields" | "sources">,
  field: StandardField,
  change: Change<FieldValue>,
): void {
  note(ownEntries(sources, "fields"), field, fields.get(field), change);
}

/** Notes which record set a custom attribute, where its value is another than before. */
export function noteCustom({ custom, sources }: Pick<Sourced, "custom" | "sources">, name: string, change: Change<CustomValue>): void {
  note(ownEntries(sources, "custom"), name, custom.get(name), change);
}

/** A value that did not change keeps its source; one that is gone has none. */
function note<Key>(sources: Map<Key, number>, key: Key, ...[after, { before, source }]: [after: unknown, change: Change<unknown>]): void {
  if (after === before) return;
  if (after === undefined || source === undefined) sources.delete(key);
  else sources.set(key, source);
}
