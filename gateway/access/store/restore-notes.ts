/** What a restore into the mesh has begun to bring: it distinguishes a repeat of the same restore from another, and from a mesh in use. */
import type { Clock } from "../../../platform/clock.ts";
import { type Documents, head } from "../../../platform/documents/documents.ts";
import { nextVersion } from "./store.ts";

interface RestoreNote {
  /** Of what is brought: equal ids, equal rows. */
  readonly id: string;
  /** As the person named it. */
  readonly file: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
}

export interface RestoreNotes {
  /** The restore that was begun in this installation, whether or not it came to its end; undefined where none was. */
  begun(): Promise<RestoreNote | undefined>;
  /** Durably. Refuses STORE_UNAVAILABLE, OUTCOME_UNKNOWN; doing it again is harmless. */
  begin(note: RestoreNote): Promise<void>;
}

/** Beside who may call, in a document that gateways pass over. */
export function openRestoreNotes(
  { documents, installation, clock }: { readonly documents: Documents; readonly installation: string; readonly clock: Clock },
): RestoreNotes {
  return {
    begun: async () => await documents.get(installation, key) as RestoreNote | undefined,
    async begin(note) {
      await documents.changeIf(installation, { reads: [head], plan: () => [nextVersion(clock), { key, value: note }] });
    },
  };
}

const key = { kind: "restore", id: "begun" };
