/** Provenance: which record set each field of a profile, as the record's place in the log. */
import { copyEntries, noEntries, ownEntries } from "../../../../platform/own-entries.ts";
import type { FieldValue, StandardField } from "../record/track-object.ts";

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
interface FieldChange {
  readonly before: FieldValue | undefined;
  readonly source: number | undefined;
}

/** Notes which record set a standard field that has a value, where that is another than before. */
export function noteField(
  { fields, sources }: { readonly fields: ReadonlyMap<StandardField, FieldValue>; readonly sources: Sources },
  field: StandardField,
  { before, source }: FieldChange,
): void {
  if (fields.get(field) !== before) noteSource(ownEntries(sources, "fields"), field, source);
}

/** Undefined: it is unknown. */
export function noteSource<Key>(sources: Map<Key, number>, key: Key, source: number | undefined): void {
  if (source === undefined) sources.delete(key);
  else sources.set(key, source);
}
