/** What translations need from outside. */
import type { IdempotencyHashes, RequestHashes } from "../../../platform/same-request.ts";
import type { MessageOwner, OwnerKind, Texts, TextsKey, TranslationSettings } from "./translation.ts";

export interface TranslationStore {
  /** Undefined where nothing was ever declared. */
  settings(workspaceId: string): Promise<TranslationSettings | undefined>;
  owner(workspaceId: string, kind: OwnerKind, id: string): Promise<MessageOwner | undefined>;
  /** What holds the step or the message variation with this id. */
  holder(workspaceId: string, id: string): Promise<MessageOwner | undefined>;
  /** Everything that is declared of a workspace, owners by kind and id. */
  declared(workspaceId: string): Promise<Declared>;
  /** Of all texts there are. */
  textKeys(workspaceId: string): Promise<readonly TextsKey[]>;
  /** In the order of the keys; undefined where there are none. */
  texts(workspaceId: string, keys: readonly TextsKey[]): Promise<readonly (Texts | undefined)[]>;
  /** The hashes of the request with this mark; undefined where none is kept, its time is over, or its write was not finished. */
  remembered(workspaceId: string, requestHash: string, now: number): Promise<RequestHashes | undefined>;
  /**
   * Replaces the texts of one message in one language and keeps the mark, whole or not at all. `reused`: the mark is there with
   * another body, nothing was written. Doing it again after a failure is safe.
   */
  putTexts(workspaceId: string, write: TextsWrite): Promise<"committed" | "repeated" | "reused">;
  /** Writes a change that was planned on `declared`, whole or not at all; "changed": something else was written since. */
  commitDeclared(workspaceId: string, change: DeclaredWrite): Promise<"committed" | "changed">;
  /** All of the keys or, where something else was declared since `revision`, none ("changed"). At most declaredWritesMax at once. */
  removeTexts(workspaceId: string, revision: number, keys: readonly TextsKey[]): Promise<"committed" | "changed">;
}

export interface Declared {
  /** Grows with each commitDeclared(); 0 where nothing was ever declared. */
  readonly revision: number;
  readonly settings: TranslationSettings | undefined;
  readonly owners: readonly MessageOwner[];
}

export interface DeclaredWrite {
  /** What it was planned on. */
  readonly revision: number;
  readonly settings: TranslationSettings;
  readonly puts: readonly MessageOwner[];
  readonly drops: readonly Pick<MessageOwner, "kind" | "id">[];
  readonly sources: readonly { readonly messageId: string; readonly texts: Texts }[];
  /** Steps and variations that nothing holds any more. */
  readonly goneIds: readonly string[];
}

export interface TextsWrite {
  readonly key: TextsKey;
  readonly texts: Texts;
  /** Unix milliseconds. */
  readonly now: number;
  /** Of a request with an Idempotency-Key, kept for `idempotencyKeepMs`. */
  readonly idempotency?: IdempotencyHashes;
}
