/** The store of translations: what is declared goes with the head of its workspace, texts and marks by themselves. */
import { inFlight } from "../../../platform/in-flight.ts";
import { type Documents, head, type Key, keyText, revisionOf, type Write } from "../../../platform/documents/documents.ts";
import { limits } from "../../../platform/limits.ts";
import { isSameRequest, type RequestHashes } from "../../../platform/same-request.ts";
import type { MessageOwner, OwnerKind, Texts, TextsKey, TranslationSettings } from "../domain/translation.ts";
import type { DeclaredWrite, TextsWrite, TranslationStore } from "../domain/translation-ports.ts";

interface Head {
  readonly revision: number;
  readonly settings?: TranslationSettings;
}

interface IdempotencyDocument extends RequestHashes {
  readonly expiresAt: number;
}

export function openTranslationStore(documents: Documents): TranslationStore {
  async function owner(workspaceId: string, kind: OwnerKind, id: string): Promise<MessageOwner | undefined> {
    const found = await documents.get(workspaceId, { kind, id });
    return found === undefined ? undefined : ownerOf(kind, id, found);
  }
  async function headOf(workspaceId: string): Promise<Head | undefined> {
    return await documents.get(workspaceId, head) as Head | undefined;
  }
  return {
    owner,
    settings: async (workspaceId) => (await headOf(workspaceId))?.settings,
    async holder(workspaceId, id) {
      const [kind, ownerId = ""] = String(await documents.get(workspaceId, { kind: "place", id }) ?? "").split(" ");
      return kind ? await owner(workspaceId, kind as OwnerKind, ownerId) : undefined;
    },
    async declared(workspaceId) {
      // The head first: what is declared while the owners are read makes a change that is planned on them fail
      const found = await headOf(workspaceId);
      const owners = await Promise.all((["campaign", "canvas"] as const).map(async (kind) => {
        return (await documents.list(workspaceId, kind)).map(({ id, value }) => ownerOf(kind, id, value));
      }));
      return { revision: revisionOf(found), settings: found?.settings, owners: owners.flat() };
    },
    async textKeys(workspaceId) {
      return (await documents.ids(workspaceId, "text")).map((id): TextsKey => {
        const [messageId = "", localeId = ""] = id.split("/");
        return { messageId, localeId };
      });
    },
    texts: (workspaceId, keys) =>
      inFlight(keys, limits.cassandraInFlightMax, async (key) => {
        const pairs = await documents.get(workspaceId, textKey(key)) as [string, string][] | undefined;
        return pairs && new Map(pairs);
      }),
    async remembered(workspaceId, requestHash, now) {
      const mark = await documents.get(workspaceId, { kind: "mark", id: requestHash }) as IdempotencyDocument | undefined;
      return mark !== undefined && mark.expiresAt > now ? mark : undefined;
    },
    putTexts: (workspaceId, write) => putTexts(documents, workspaceId, write),
    commitDeclared: (workspaceId, change) => commitDeclared(documents, workspaceId, change),
    removeTexts: async (workspaceId, revision, keys) =>
      await documents.changeIf<"changed">(workspaceId, {
        reads: [head],
        plan([found]) {
          if (revisionOf(found) !== revision) return "changed";
          return [{ key: head, value: found }, ...keys.map((key) => ({ key: textKey(key), value: undefined }))];
        },
      }),
  };
}

/** Everything but kind and id, which are the key. */
function ownerOf(kind: OwnerKind, id: string, value: unknown): MessageOwner {
  const { name, steps } = value as Pick<MessageOwner, "name" | "steps">;
  return { kind, id, name, steps };
}

/** Ids of steps and messages: what an owner can be found by. */
function placesIn({ steps }: MessageOwner): readonly string[] {
  return steps.flatMap(({ id, variations }) => [...(id === "" ? [] : [id]), ...variations.map((variation) => variation.id)]);
}

/** Ids of messages and languages have no slash. */
function textKey({ messageId, localeId }: TextsKey): Key {
  return { kind: "text", id: `${messageId}/${localeId}` };
}

/** As pairs: a text id is never a key of an object. */
function textWrite(key: TextsKey, texts: Texts): Write {
  return { key: textKey(key), value: [...texts] };
}

async function putTexts(documents: Documents, workspaceId: string, { key, texts, now, idempotency }: TextsWrite) {
  const write = textWrite(key, texts);
  const { requestHash, ...hashes } = idempotency ?? { requestHash: "" };
  const keys = idempotency ? [{ kind: "mark", id: requestHash }] : [];
  return await documents.changeIf<"repeated" | "reused">(workspaceId, {
    reads: keys,
    large: [write],
    plan([found]) {
      const known = found as IdempotencyDocument | undefined;
      if (idempotency && known && known.expiresAt > now) return isSameRequest(known, idempotency) ? "repeated" : "reused";
      const value = { ...hashes, expiresAt: now + limits.idempotencyKeepMs };
      return [write, ...keys.map((each) => ({ key: each, value }))];
    },
  });
}

async function commitDeclared(documents: Documents, workspaceId: string, change: DeclaredWrite): Promise<"committed" | "changed"> {
  const { revision, settings } = change;
  const sources = change.sources.map(({ messageId, texts }) => textWrite({ messageId, localeId: "" }, texts));
  return await documents.changeIf<"changed">(workspaceId, {
    reads: [head],
    large: sources,
    plan([found]) {
      if (revisionOf(found) !== revision) return "changed";
      const next: Head = { revision: revision + 1, settings };
      return [{ key: head, value: next }, ...declaredWrites(change, sources)];
    },
  });
}

/** What each document becomes, once each: a message that moves is gone here and held there. */
function declaredWrites({ goneIds, drops, puts }: DeclaredWrite, sources: readonly Write[]): readonly Write[] {
  const all: Write[] = [
    ...goneIds.map((id) => ({ key: { kind: "place", id }, value: undefined })),
    ...drops.map(({ kind, id }) => ({ key: { kind, id }, value: undefined })),
    ...puts.flatMap((owner) => {
      const { kind, id, name, steps } = owner;
      const places = placesIn(owner).map((place) => ({ key: { kind: "place", id: place }, value: `${kind} ${id}` }));
      return [{ key: { kind, id }, value: { name, steps } }, ...places];
    }),
    ...sources,
  ];
  return [...new Map(all.map((write) => [keyText(write.key), write])).values()];
}
