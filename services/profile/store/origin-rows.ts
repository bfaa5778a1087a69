/** The requests of a step as one text: a row a step costs nothing that counts, a row a request would. */
import type { RequestOrigin, StepOrigins } from "../domain/ports.ts";

export function originsToRow(origins: StepOrigins): string {
  const entries = origins.map(([workspaceId, requests]): Entry => [
    workspaceId,
    requests.map(({ sequence, requestId, actor, receivedAt, what }) => [sequence, requestId, actor, receivedAt, what]),
  ]);
  return JSON.stringify(entries);
}

/** Those of `workspaceId` at the places asked for. */
export function originsFromRow(text: string, workspaceId: string, sequences: ReadonlySet<number>): RequestOrigin[] {
  const entries = JSON.parse(text) as readonly Entry[];
  return entries.filter(([own]) => own === workspaceId).flatMap(([, requests]) =>
    requests.flatMap(([sequence, requestId, actor, receivedAt, what]) =>
      sequences.has(sequence) ? [{ sequence, requestId, actor, receivedAt, what }] : []
    )
  );
}

type Entry = readonly [
  workspaceId: string,
  requests: readonly (readonly [sequence: number, requestId: string, actor: string, receivedAt: number, what: RequestOrigin["what"]])[],
];
