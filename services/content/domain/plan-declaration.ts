/** What there is and what is declared, to what must be written: pure. */
import { type FieldChange, fieldChanges, isSame } from "../../../platform/field-changes.ts";
import { limits } from "../../../platform/limits.ts";
import {
  checkDeclared,
  type DeclaredLocale,
  type DeclaredOwner,
  type DeclaredStep,
  type DeclaredTranslations,
  type DeclaredVariation,
  refused,
} from "./declared-translations.ts";
import {
  idsIn,
  type Locale,
  localeKey,
  type MessageOwner,
  type Step,
  type Texts,
  type TextsKey,
  type TranslationSettings,
  undeclaredSettings,
  type Variation,
} from "./translation.ts";
import type { Declared, DeclaredWrite } from "./translation-ports.ts";

/** One thing that the declaration names, or that goes because it does not. */
export interface DeclaredChange {
  readonly action: "created" | "updated" | "unchanged" | "pruned";
  readonly what: "campaign" | "canvas" | "step" | "message variation" | "locale" | "translation settings";
  /** Names from the campaign down, joined with "/". */
  readonly path: string;
  readonly id: string;
  /** Of what is updated. */
  readonly fields?: readonly FieldChange[];
}

interface Options {
  readonly prune: boolean;
  readonly newId: () => string;
}

interface Plan extends Options {
  readonly changes: DeclaredChange[];
  readonly sources: { readonly messageId: string; readonly texts: Texts }[];
  readonly locales: readonly Locale[];
}

export interface PlannedDeclaration {
  readonly write: DeclaredWrite;
  readonly changes: readonly DeclaredChange[];
  /**
   * Texts of messages and languages that begin: under an id of before nothing of before is found, also where a PUT came while it was
   * taken away.
   */
  readonly begin: SomeTexts;
  readonly end: SomeTexts;
}

/** Undefined for none. */
type SomeTexts = ((key: TextsKey) => boolean) | undefined;

export function planDeclaration(current: Declared, declared: DeclaredTranslations, options: Options): PlannedDeclaration {
  checkDeclared(declared);
  const changes: DeclaredChange[] = [];
  const settings = plannedSettings(current.settings, declared.settings, { ...options, changes });
  const plan: Plan = { ...options, changes, sources: [], locales: settings.locales };
  const campaigns = knownBy(current.owners.filter(({ kind }) => kind === "campaign"));
  const canvases = knownBy(current.owners.filter(({ kind }) => kind === "canvas"));
  const planned = declared.owners.map((owner) => {
    return plannedOwner(plan, matching(owner.kind, owner.kind === "campaign" ? campaigns : canvases, owner), owner);
  });
  const named = new Set(planned.map(nameOf));
  const others = current.owners.filter((owner) => !named.has(nameOf(owner)));
  const drops = options.prune ? others : [];
  for (const { kind, name, id } of drops) changes.push({ action: "pruned", what: kind, path: name, id });
  const next = [...planned, ...(options.prune ? [] : others)];
  checkIds(next);
  const before = new Map(current.owners.map((owner) => [nameOf(owner), owner]));
  const puts = planned.filter((owner) => !isSame(before.get(nameOf(owner)), owner));
  const write = { revision: current.revision, settings, puts, drops, sources: plan.sources, goneIds: goneIds(current, next) };
  const after = { owners: next, settings };
  return { write, changes, begin: textsOfOthers(after, current), end: textsOfOthers(current, after) };
}

function plannedSettings(
  before: TranslationSettings | undefined,
  declared: DeclaredTranslations["settings"],
  { prune, newId, changes }: Options & { readonly changes: DeclaredChange[] },
): TranslationSettings {
  const known = before ?? undeclaredSettings;
  if (declared === undefined) return known;
  const knownLocales = knownBy(known.locales);
  const locales = declared.locales.map((locale) => {
    const found = matching("locale", knownLocales, locale);
    const planned = { ...withNames(locale), id: found?.id ?? (locale.id.toLowerCase() || newId()) };
    changes.push({ ...doneTo(found, planned), what: "locale", path: planned.name, id: planned.id });
    return planned;
  });
  refuseRepeated(locales.map(({ id }) => id), "locales");
  const others = known.locales.filter(({ id }) => !locales.some((locale) => locale.id === id));
  if (prune) { for (const { name, id } of others) changes.push({ action: "pruned", what: "locale", path: name, id }); }
  const kept = prune ? locales : inOrder(known.locales, locales);
  const settings = { earlyAccess: declared.earlyAccess ?? known.earlyAccess, enabled: declared.enabled ?? known.enabled, locales: kept };
  if (kept.length > limits.localesPerWorkspaceMax) throw refused(`A workspace has at most ${limits.localesPerWorkspaceMax} locales`);
  changes.push({ ...doneTo(before, settings, withLocaleNames), what: "translation settings", path: "", id: "" });
  return settings;
}

/** Ids of different kinds may be equal. */
function nameOf({ kind, id }: MessageOwner): string {
  return `${kind} ${id}`;
}

function plannedOwner(plan: Plan, found: MessageOwner | undefined, declared: DeclaredOwner): MessageOwner {
  const { kind, name } = declared;
  const id = found?.id ?? (declared.id.toLowerCase() || plan.newId());
  const place = plan.changes.length;
  const known = knownBy(found?.steps ?? []);
  const steps = declared.steps.map((step) => plannedStep(plan, known, { step, path: name }));
  refuseRepeated(steps.map((step) => step.id), "steps");
  const others = (found?.steps ?? []).filter((step) => !steps.some((planned) => planned.id === step.id));
  if (plan.prune) plan.changes.push(...others.flatMap((step) => goneWith(step, name)));
  const owner = { kind, id, name, steps: plan.prune ? steps : inOrder(found?.steps ?? [], steps) };
  if (owner.steps.flatMap(({ variations }) => variations).length > limits.messagesPerOwnerMax) {
    throw refused(`The ${kind} "${name}" has more than ${limits.messagesPerOwnerMax} messages`);
  }
  plan.changes.splice(place, 0, { ...doneTo(found && nameIn(found), { name }), what: kind, path: name, id });
  return owner;
}

/** A pruned step is reported as a whole; that of a campaign by its messages. */
function goneWith({ id, name, variations }: Step, path: string): readonly DeclaredChange[] {
  if (id !== "") return [{ action: "pruned", what: "step", path: `${path}/${name}`, id }];
  return variations.map((variation) => ({
    action: "pruned",
    what: "message variation",
    path: `${path}/${variation.name}`,
    id: variation.id,
  }));
}

/** The one step of a campaign has neither id nor name and is not reported. */
function plannedStep(plan: Plan, steps: Known<Step>, { step, path }: { readonly step: DeclaredStep; readonly path: string }): Step {
  const isNamed = step.name !== "";
  const found = isNamed ? matching("step", steps, step) : steps.byId.get("");
  const id = isNamed ? found?.id ?? (step.id.toLowerCase() || plan.newId()) : "";
  const below = isNamed ? `${path}/${step.name}` : path;
  if (isNamed) plan.changes.push({ ...doneTo(found && nameIn(found), nameIn(step)), what: "step", path: below, id });
  const before = found?.variations ?? [];
  const known = knownBy(before);
  const variations = step.variations.map((variation) => plannedVariation(plan, known, { variation, path: below }));
  refuseRepeated(variations.map((variation) => variation.id), "message variations");
  const others = before.filter((variation) => !variations.some((planned) => planned.id === variation.id));
  for (const { name, id } of plan.prune ? others : []) {
    plan.changes.push({ action: "pruned", what: "message variation", path: `${below}/${name}`, id });
  }
  return { id, name: step.name, variations: plan.prune ? variations : inOrder(before, variations) };
}

function plannedVariation(
  plan: Plan,
  variations: Known<Variation>,
  { variation, path }: { readonly variation: DeclaredVariation; readonly path: string },
): Variation {
  const { name, channel, locales, source } = variation;
  const found = matching("message variation", variations, variation);
  const id = found?.id ?? (variation.id.toLowerCase() || plan.newId());
  const localeIds = locales === undefined
    ? (found?.localeIds ?? []).filter((localeId) => plan.locales.some((locale) => locale.id === localeId))
    : localeIdsOf(plan, locales, `${path}/${name}`);
  const planned = { id, name, channel, localeIds };
  if (source !== undefined) plan.sources.push({ messageId: id, texts: source });
  function shown({ localeIds, ...fields }: Variation): object {
    return { ...fields, locales: localeIds.map((localeId) => plan.locales.find((locale) => locale.id === localeId)?.name ?? localeId) };
  }
  plan.changes.push({ ...doneTo(found, planned, shown), what: "message variation", path: `${path}/${name}`, id });
  return planned;
}

function localeIdsOf({ locales }: Plan, names: readonly string[], path: string): readonly string[] {
  return [...new Set(names.map(localeKey))].map((key) => {
    const found = locales.find(({ name }) => localeKey(name) === key);
    if (found === undefined) throw refused(`The message "${path}" has the locale "${key}", which the workspace's translations do not have`);
    return found.id;
  });
}

interface Known<T> {
  readonly byId: ReadonlyMap<string, T>;
  readonly byName: ReadonlyMap<string, T>;
}

function knownBy<T extends { readonly id: string; readonly name: string }>(things: readonly T[]): Known<T> {
  return { byId: new Map(things.map((thing) => [thing.id, thing])), byName: new Map(things.map((thing) => [thing.name, thing])) };
}

/** The one with the given id, or else with the name. An id never changes. */
function matching<T extends { readonly id: string; readonly name: string }>(
  what: string,
  known: Known<T>,
  { id, name }: { readonly id: string; readonly name: string },
): T | undefined {
  const wanted = id.toLowerCase();
  const byId = known.byId.get(wanted);
  const byName = known.byName.get(name);
  if (byName === undefined || wanted === "" || byName.id === wanted) return byId ?? byName;
  throw refused(
    byId
      ? `The ${what} "${wanted}" cannot take the name "${name}": "${byName.id}" has it`
      : `The ${what} "${name}" exists with the id "${byName.id}"; an id cannot change to "${wanted}"`,
  );
}

/** What was there keeps its place; what is new comes behind. No two of what is planned have one id. */
function inOrder<T extends { readonly id: string }>(before: readonly T[], planned: readonly T[]): readonly T[] {
  const kept = before.map((thing) => planned.find(({ id }) => id === thing.id) ?? thing);
  return [...kept, ...planned.filter(({ id }) => !before.some((thing) => thing.id === id))];
}

/** What a declaration does to a thing, by `shown` field by field; the order of fields does not count, that of lists does. */
function doneTo<T extends object>(
  before: T | undefined,
  after: T,
  shown: (thing: T) => object = (thing) => thing,
): Pick<DeclaredChange, "action" | "fields"> {
  if (before === undefined) return { action: "created" };
  if (isSame(before, after)) return { action: "unchanged" };
  return { action: "updated", fields: fieldChanges(shown(before), shown(after)) };
}

function nameIn({ name }: { readonly name: string }): { name: string } {
  return { name };
}

/** Changes of a locale are reported with the locale itself. */
function withLocaleNames({ locales, ...fields }: TranslationSettings): object {
  return { ...fields, locales: locales.map(({ name }) => name) };
}

function withNames({ name, country, language }: DeclaredLocale): Omit<Locale, "id"> {
  const [code = "", ...rest] = name.split("-");
  const region = rest.find((part) => part.length < "Latn".length) ?? "";
  return { name, country: country || region, language: language || code };
}

/** Steps and messages are found by their ids alone, so no two things of a workspace may share one. */
function checkIds(owners: readonly MessageOwner[]): void {
  if (owners.length > limits.messageOwnersMax) throw refused(`A workspace has at most ${limits.messageOwnersMax} campaigns and canvases`);
  refuseRepeated(owners.flatMap(({ id, kind, steps }) => [`${kind} ${id}`, ...idsIn(steps)]), "things");
}

function refuseRepeated(ids: readonly string[], what: string): void {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) throw refused(`Two ${what} have the id "${id}"`);
    seen.add(id);
  }
}

/** Steps and messages that nothing holds any more. */
function goneIds(current: Declared, next: readonly MessageOwner[]): readonly string[] {
  const left = new Set(next.flatMap(({ steps }) => idsIn(steps)));
  return current.owners.flatMap(({ steps }) => idsIn(steps)).filter((id) => !left.has(id));
}

/** Texts of messages and locales that are among these and were not before. */
function textsOfOthers(these: Content, before: Content): SomeTexts {
  const messages = messageIds(these.owners).difference(messageIds(before.owners));
  const locales = localeIds(these.settings).difference(localeIds(before.settings));
  if (messages.size + locales.size === 0) return undefined;
  return ({ messageId, localeId }) => messages.has(messageId) || locales.has(localeId);
}

type Content = Pick<Declared, "owners" | "settings">;

function messageIds(owners: readonly MessageOwner[]): ReadonlySet<string> {
  return new Set(owners.flatMap(({ steps }) => steps.flatMap(({ variations }) => variations.map(({ id }) => id))));
}

function localeIds(settings: TranslationSettings | undefined): ReadonlySet<string> {
  return new Set((settings?.locales ?? []).map(({ id }) => id));
}
