/** The store of translations in the mesh: a workspace is one partition, and each change one conditional write. */
import { inFlight } from "../../../platform/cassandra/in-flight.ts";
import { readAll, type Row, type Session } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import type { MessageOwner, OwnerKind, TextsKey, TranslationSettings } from "../domain/translation.ts";
import type { DeclaredWrite, TextsWrite, TranslationStore } from "../domain/translation-ports.ts";
import {
  deleteRow,
  type Kind,
  part,
  plain,
  putRow,
  selectKind,
  selectRow,
  selectState,
  updateState,
} from "./cassandra-translation-statements.ts";
import { type InTurn, markOf, openLines, openTextMoves } from "./cassandra-text-moves.ts";
import { openTextVersions, textId, type TextVersions, type Version } from "./cassandra-texts.ts";
import { ownerFromText, ownerToText, placesIn, translationSettingsFromText } from "./translation-rows.ts";

interface Parts {
  readonly session: Session;
  readonly versions: TextVersions;
  readonly inTurn: InTurn;
  readonly move: ReturnType<typeof openTextMoves>;
}

/** `newVersion` gives a text that was never given before. */
export function openCassandraTranslations(
  { session, newVersion }: { readonly session: Session; readonly newVersion: () => string },
): TranslationStore {
  const versions = openTextVersions({ session, newVersion });
  const inTurn = openLines();
  const parts = { session, versions, inTurn, move: openTextMoves({ session, versions, inTurn }) };
  async function owner(workspaceId: string, kind: OwnerKind, id: string): Promise<MessageOwner | undefined> {
    const row = await rowOf(session, workspaceId, { kind, id });
    return row && ownerFromText(kind, id, String(row["body"]));
  }
  return {
    owner,
    settings: async (workspaceId) => (await stateOf(session, workspaceId)).settings,
    async holder(workspaceId, id) {
      const row = await rowOf(session, workspaceId, { kind: "place", id });
      const [kind = "", ownerId = ""] = String(row?.["body"] ?? "").split(" ");
      return kind === "" ? undefined : await owner(workspaceId, kind as OwnerKind, ownerId);
    },
    async declared(workspaceId) {
      // The state first: what is declared while the owners are read makes a change that is planned on them fail
      const state = await stateOf(session, workspaceId, { serial: true });
      const owners = await Promise.all((["campaign", "canvas"] as const).map((kind) => ownersOf(session, workspaceId, kind)));
      return { ...state, revision: Number(state.revision ?? 0n), owners: owners.flat() };
    },
    texts: (workspaceId, keys) => inFlight(keys, limits.cassandraInFlightMax, (key) => versions.read(workspaceId, key)),
    async remembered(workspaceId, requestHash, now) {
      const mark = await markOf(session, workspaceId, { requestHash });
      return mark && mark.expiresAt > now ? mark.bodyHash : undefined;
    },
    putTexts: (workspaceId, write) => putTexts(parts, workspaceId, write),
    commitDeclared: (workspaceId, change) => commitDeclared(parts, workspaceId, change),
  };
}

interface State {
  /** null: nothing was ever declared. */
  readonly revision: bigint | null;
  readonly settings: TranslationSettings | undefined;
}

/** `serial`: also what was being written when the read began. */
async function stateOf(session: Session, workspaceId: string, { serial } = { serial: false }): Promise<State> {
  const [row] = await session.execute({ ...plain(selectState, { workspace_id: workspaceId }), ...(serial ? { serial } : {}) });
  const settings = row?.["settings"] ?? null;
  return {
    revision: (row?.["revision"] ?? null) as bigint | null,
    settings: settings === null ? undefined : translationSettingsFromText(String(settings)),
  };
}

interface RowKey {
  readonly kind: Kind;
  readonly id: string;
}

async function rowOf(session: Session, workspaceId: string, { kind, id }: RowKey): Promise<Row | undefined> {
  const [row] = await session.execute(plain(selectRow, { workspace_id: workspaceId, kind, id }));
  return row;
}

async function ownersOf(session: Session, workspaceId: string, kind: OwnerKind): Promise<readonly MessageOwner[]> {
  const rows = await readAll(session, plain(selectKind, { workspace_id: workspaceId, kind }), limits.cassandraPageRows);
  return rows.map((row) => ownerFromText(kind, String(row["id"]), String(row["body"])));
}

/** Writes the texts under a new version, then, when it is its turn, makes it the one that counts. */
async function putTexts(
  { versions, move }: Parts,
  workspaceId: string,
  { texts, ...write }: TextsWrite,
): Promise<"committed" | "repeated" | "reused"> {
  const after = await versions.write(workspaceId, write.key, texts);
  const { outcome, left } = await move(workspaceId, { ...write, after });
  if (left !== undefined) versions.dropLater(workspaceId, { key: write.key, pointer: left });
  return outcome;
}

async function commitDeclared(
  { session, versions, inTurn }: Parts,
  workspaceId: string,
  change: DeclaredWrite,
): Promise<"committed" | "changed"> {
  const keys = [...change.goneTexts, ...change.sources.map(({ messageId }) => ({ messageId, localeId: "" }))];
  const before = await pointersOf(versions, workspaceId, keys);
  const written = await inFlight(change.sources, partsInFlight, async ({ messageId, texts }) => {
    const key = { messageId, localeId: "" };
    return { key, pointer: await versions.write(workspaceId, key, texts) };
  });
  const statements = [
    part(updateState, {
      workspace_id: workspaceId,
      revision: BigInt(change.revision + 1),
      settings: JSON.stringify(change.settings),
      was: change.revision === 0 ? null : BigInt(change.revision),
    }),
    ...rowsOf(change, written).map(([kind, id, body]) =>
      body === undefined
        ? part(deleteRow, { workspace_id: workspaceId, kind, id })
        : part(putRow, { workspace_id: workspaceId, kind, id, body })
    ),
  ];
  const isCommitted = await inTurn(workspaceId, () => session.conditional(statements));
  await versions.drop(workspaceId, isCommitted ? before : written);
  return isCommitted ? "committed" : "changed";
}

const partsInFlight = 8;

async function pointersOf(versions: TextVersions, workspaceId: string, keys: readonly TextsKey[]): Promise<readonly Version[]> {
  const found = await inFlight(
    keys,
    limits.cassandraInFlightMax,
    async (key) => ({ key, pointer: await versions.pointer(workspaceId, key) }),
  );
  return found.flatMap(({ key, pointer }) => pointer === undefined ? [] : [{ key, pointer }]);
}

/** What each row becomes, once each: a message that moves is gone here and held there. Without a body the row goes. */
function rowsOf(change: DeclaredWrite, written: readonly Version[]): readonly (readonly [Kind, string, string | undefined])[] {
  const rows = new Map<string, readonly [Kind, string, string | undefined]>();
  function set(kind: Kind, id: string, body: string | undefined): void {
    rows.set(`${kind} ${id}`, [kind, id, body]);
  }
  for (const id of change.goneIds) set("place", id, undefined);
  for (const key of change.goneTexts) set("text", textId(key), undefined);
  for (const { kind, id } of change.drops) set(kind, id, undefined);
  for (const owner of change.puts) {
    set(owner.kind, owner.id, ownerToText(owner));
    for (const place of placesIn(owner)) set("place", place, `${owner.kind} ${owner.id}`);
  }
  for (const { key, pointer } of written) set("text", textId(key), pointer);
  return [...rows.values()];
}
