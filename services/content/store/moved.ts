/** What a backup takes from one content service and gives to another: the documents of workspaces as they are. */
import type { Clock } from "../../../platform/clock.ts";
import type { Documents } from "../../../platform/documents/documents.ts";
import { type MovedDocuments, type MovedKinds, readDocuments, writeDocuments } from "../../../platform/documents/move.ts";

export interface ContentDocuments {
  readonly centers: Documents;
  readonly translations: Documents;
}

interface ContentRows extends MovedDocuments {
  readonly space: keyof ContentDocuments;
}

/** No other process writes to these workspaces meanwhile. */
export interface ContentMove {
  /** All documents of these workspaces that have not ended by themselves. */
  read(workspaceIds: ReadonlySet<string>): AsyncIterable<ContentRows>;
  /** Doing it again is harmless. */
  write(rows: ContentRows): Promise<void>;
}

export function contentMove(documents: ContentDocuments, clock: Clock): ContentMove {
  return {
    async *read(workspaceIds) {
      for (const workspaceId of workspaceIds) {
        for (const space of ["centers", "translations"] as const) {
          for await (const rows of readDocuments(documents[space], workspaceId, { ...movedKinds[space], now: clock.now() })) {
            yield { space, ...rows };
          }
        }
      }
    },
    write: ({ space, ...rows }) => writeDocuments(documents[space], rows, (kind) => kind === "content" || kind === "text"),
  };
}

const movedKinds: Readonly<Record<keyof ContentDocuments, MovedKinds>> = {
  centers: {
    kinds: ["settings", "version", "name", "center", "mark"],
    named: (kind, { value }) =>
      kind === "version" ? { kind: "content", id: (value as { readonly contentId: string }).contentId } : undefined,
  },
  translations: { kinds: ["campaign", "canvas", "place", "mark"], large: ["text"] },
};
