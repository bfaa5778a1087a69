/** What a declaration says of translations, and what it must be in itself. */
import { isUuid } from "../../../platform/identifier.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { channels, localeKey, type OwnerKind, type Texts, textsBytes } from "./translation.ts";

/** Absent things stay as they are. Empty ids: known by the name, or new. */
export interface DeclaredTranslations {
  readonly settings: DeclaredSettings | undefined;
  readonly owners: readonly DeclaredOwner[];
}

interface DeclaredSettings {
  readonly earlyAccess: boolean | undefined;
  readonly enabled: boolean | undefined;
  readonly locales: readonly DeclaredLocale[];
}

/** Empty country and language: those of the name. */
export interface DeclaredLocale {
  readonly id: string;
  readonly name: string;
  readonly country: string;
  readonly language: string;
}

export interface DeclaredOwner {
  readonly kind: OwnerKind;
  readonly id: string;
  readonly name: string;
  readonly steps: readonly DeclaredStep[];
}

export interface DeclaredStep {
  readonly id: string;
  readonly name: string;
  readonly variations: readonly DeclaredVariation[];
}

export interface DeclaredVariation {
  readonly id: string;
  readonly name: string;
  readonly channel: string;
  /** Names of locales. */
  readonly locales: readonly string[] | undefined;
  readonly source: Texts | undefined;
}

/** Refuses INPUT_INVALID, naming the thing. What the locales of messages are is checked where all of them are known. */
export function checkDeclared({ settings, owners }: DeclaredTranslations): void {
  for (const locale of settings?.locales ?? []) checkLocale(locale);
  refuseTwice("locale", (settings?.locales ?? []).map(({ name }) => localeKey(name)));
  for (const kind of ["campaign", "canvas"] as const) {
    refuseTwice(
      kind,
      owners.filter((owner) => owner.kind === kind).map(({ name }) => name),
    );
  }
  for (const owner of owners) checkOwner(owner);
}

function checkLocale({ id, name }: DeclaredLocale): void {
  checkId(`locale "${name}"`, id);
  if (!/^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?$/.test(name)) {
    throw refused(`"${name}" is not the name of a locale, such as es-MX`);
  }
}

function checkOwner({ kind, id, name, steps }: DeclaredOwner): void {
  const path = `${kind} "${name}"`;
  checkNamed(path, { id, name });
  if (kind === "campaign" && (steps.length > 1 || steps.some((step) => step.name !== "" || step.id !== ""))) {
    throw refused(`The ${path} has steps; only a canvas has them`);
  }
  refuseTwice(`step of the ${path}`, steps.map((step) => step.name));
  for (const step of steps) {
    if (kind === "canvas") checkNamed(`step "${step.name}" of the ${path}`, step);
    refuseTwice(`message variation of the ${path}`, step.variations.map((variation) => variation.name));
    for (const variation of step.variations) checkVariation(`message variation "${variation.name}" of the ${path}`, variation);
  }
}

function checkVariation(path: string, { id, name, channel, source }: DeclaredVariation): void {
  checkNamed(path, { id, name });
  if (!channels.includes(channel)) throw refused(`The ${path} has the channel "${channel}"; it is one of ${channels.join(", ")}`);
  for (const textId of source?.keys() ?? []) {
    if (!/^[A-Za-z0-9_.-]{1,255}$/.test(textId)) {
      throw refused(`The ${path} has the text id "${textId}"; it may have letters, digits, "-", "_" and "."`);
    }
  }
  if ((source?.size ?? 0) > limits.textsPerMessageMax) throw refused(`The ${path} has more than ${limits.textsPerMessageMax} texts`);
  if (source !== undefined && textsBytes(source) > limits.translationBytesMax) {
    throw refused(`The texts of the ${path} are larger than ${limits.translationBytesMax} bytes`);
  }
}

function checkNamed(path: string, { id, name }: { readonly id: string; readonly name: string }): void {
  checkId(path, id);
  const fits = name.trim() === name && name !== "" && name.length <= limits.declaredNameCharsMax && !/\p{Cc}/u.test(name);
  if (!fits) throw refused(`The name of the ${path} must be 1 to ${limits.declaredNameCharsMax} characters, with no space at either end`);
}

function checkId(path: string, id: string): void {
  if (id !== "" && !isUuid(id)) throw refused(`The id of the ${path} must be a UUID, not "${id}"`);
}

function refuseTwice(what: string, names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw refused(`There are two of the name "${name}": ${what}`);
    seen.add(name);
  }
}

export function refused(text: string): Refusal {
  return new Refusal("INPUT_INVALID", text);
}
