/** What a backup takes from one store of preference centers and translations and gives to another. */
import { limits } from "../../../platform/limits.ts";
import type { CenterSummary, PageSettings } from "../domain/center.ts";
import type { CenterStore, Remembered, WrittenVersion } from "../domain/center-ports.ts";
import type { MessageOwner, Texts, TextsKey, TranslationSettings } from "../domain/translation.ts";
import type { Mark, TranslationStore } from "../domain/translation-ports.ts";

/** Some rows of one workspace; over all pieces each comes once. */
export interface ContentRows {
  readonly workspaceId: string;
  readonly pageSettings?: PageSettings;
  /** One center as it stands, with some of its versions. */
  readonly center?: { readonly summary: CenterSummary; readonly versions: readonly WrittenVersion[] };
  /** Answers to requests that created or changed a center. */
  readonly remembered?: readonly Remembered[];
  /** Comes before the texts of what it declares. */
  readonly declared?: { readonly settings: TranslationSettings; readonly owners: readonly MessageOwner[] };
  readonly texts?: { readonly key: TextsKey; readonly texts: Texts };
  /** Of requests that replaced texts. */
  readonly marks?: readonly MovedMark[];
}

export interface MovedMark extends Mark {
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** A store of the content service, as a backup sees it. Nobody else writes to these workspaces meanwhile. */
export interface ContentMove {
  /** All rows of these workspaces that have not ended by themselves. */
  read(workspaceIds: ReadonlySet<string>): AsyncIterable<ContentRows>;
  /** Doing it again is harmless. */
  write(rows: ContentRows): Promise<void>;
}

/** What no use case asks for: lists of what is there. */
export interface ContentLists {
  remembered(workspaceId: string): Promise<readonly Remembered[]>;
  textKeys(workspaceId: string): Promise<readonly TextsKey[]>;
  marks(workspaceId: string): Promise<readonly MovedMark[]>;
}

export interface ContentStores {
  readonly centers: CenterStore;
  readonly translations: TranslationStore;
}

/** The rows of one workspace out of any store. */
export async function* contentOf(
  { centers, translations, lists }: ContentStores & { readonly lists: ContentLists },
  workspaceId: string,
): AsyncGenerator<ContentRows> {
  yield { workspaceId, pageSettings: await centers.settings(workspaceId) };
  for (const summary of await centers.summaries(workspaceId)) {
    for await (const versions of versionsOf(centers, workspaceId, summary)) yield { workspaceId, center: { summary, versions } };
  }
  yield { workspaceId, remembered: await lists.remembered(workspaceId) };
  const { settings, owners } = await translations.declared(workspaceId);
  if (settings) yield { workspaceId, declared: { settings, owners } };
  for (const key of await lists.textKeys(workspaceId)) {
    const [texts] = await translations.texts(workspaceId, [key]);
    if (texts) yield { workspaceId, texts: { key, texts } };
  }
  yield { workspaceId, marks: await lists.marks(workspaceId) };
}

/** The newest first, a few at a time: a content may have megabytes. */
async function* versionsOf(
  centers: CenterStore,
  workspaceId: string,
  { id, version: newest }: CenterSummary,
): AsyncGenerator<readonly WrittenVersion[]> {
  for (let before = newest + 1; before > 1;) {
    const page = await centers.versions(workspaceId, id, { before, limit: limits.movedVersionsPerPage });
    if (page.length === 0) return;
    const whole = await Promise.all(page.map(({ version }) => centers.version(workspaceId, id, version)));
    yield whole.filter((version) => version !== undefined);
    before = page.at(-1)?.version ?? 0;
  }
}

/** Through the port, which writes either as a whole: again gives the same. */
export async function writeMessages(
  translations: TranslationStore,
  { workspaceId, declared, texts }: Pick<ContentRows, "workspaceId" | "declared" | "texts">,
  now: number,
): Promise<void> {
  if (declared) {
    const { revision } = await translations.declared(workspaceId);
    const change = { revision, settings: declared.settings, puts: declared.owners, drops: [], sources: [], goneTexts: [], goneIds: [] };
    const outcome = await translations.commitDeclared(workspaceId, change);
    if (outcome !== "committed") throw new Error("Somebody else declares translations at the same time");
  }
  if (texts) await translations.putTexts(workspaceId, { ...texts, now });
}
