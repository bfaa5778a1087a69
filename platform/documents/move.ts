/** Documents on their way from one store to another, for backups: as they are, whatever they mean. */
import { limits } from "../limits.ts";
import { pagesBehind } from "../pages-behind.ts";
import { slicesOf } from "../slices-by-size.ts";
import { type Document, type Documents, head, idsBelowAll, type Key, nextHead, revisionOf, type Write } from "./documents.ts";
import { expiryOf } from "./value-bytes.ts";

/** What there is in a partition. */
export interface MovedKinds {
  readonly kinds: readonly string[];
  /** Of megabytes each. */
  readonly large?: readonly string[];
  /** What a document names that no list has. */
  readonly named?: (kind: string, document: Document) => Key | undefined;
}

/** Some documents of a partition; over all pieces each comes once at least. */
export interface MovedDocuments {
  readonly partition: string;
  readonly writes: readonly Write[];
}

/** All that have not ended at `now`; the head, which says that there is something, last. */
export async function* readDocuments(
  from: Documents,
  partition: string,
  { kinds, large = [], named, now }: MovedKinds & { readonly now: number },
): AsyncGenerator<MovedDocuments> {
  for (const kind of kinds) {
    const pages = pagesBehind<Document>((last) => {
      return from.between(partition, kind, { above: last?.id ?? idsBelowAll, limit: limits.movedRowsPerPage });
    });
    for await (const page of pages) {
      const keys = named ? page.map((document) => named(kind, document)).filter((key) => key !== undefined) : [];
      for (const key of keys) yield await one(from, partition, key);
      const there = page.filter(({ value }) => (expiryOf(value) ?? Infinity) > now);
      yield { partition, writes: there.map(({ id, value }) => ({ key: { kind, id }, value })) };
    }
  }
  for (const kind of large) {
    for (const id of await from.ids(partition, kind)) yield await one(from, partition, { kind, id });
  }
  yield await one(from, partition, head);
}

async function one(from: Documents, partition: string, key: Key): Promise<MovedDocuments> {
  const value = await from.get(partition, key);
  return { partition, writes: value === undefined ? [] : [{ key, value }] };
}

/** No other process writes to the partition meanwhile. Doing it again is harmless. */
export async function writeDocuments(
  to: Documents,
  { partition, writes }: MovedDocuments,
  isLarge: (kind: string) => boolean,
): Promise<void> {
  for (const some of slicesOf(writes, limits.movedEntriesPerWrite)) {
    await to.changeIf(partition, {
      reads: [head],
      large: some.filter(({ key }) => isLarge(key.kind)),
      plan: (
        [found],
      ) => [...some.filter(({ key }) => key.kind !== head.kind), headAfter(found, some.find(({ key }) => key.kind === head.kind))],
    });
  }
}

/** Revisions only grow: what was planned on an earlier one is not there any more. */
function headAfter(found: unknown, moved: Write | undefined): Write {
  const next = nextHead(found);
  if (moved === undefined) return next;
  return { key: head, value: { ...(moved.value as object), revision: Math.max(next.value.revision, revisionOf(moved.value)) } };
}
