/** What there is to translate: languages, and the messages of campaigns and canvases. */

/** Multi-language settings of a workspace. */
export interface TranslationSettings {
  /** Without it the workspace cannot use translations at all. */
  readonly earlyAccess: boolean;
  readonly enabled: boolean;
  readonly locales: readonly Locale[];
}

export interface Locale {
  /** A UUID. */
  readonly id: string;
  /** `es-MX`: language, script where it matters, region where there is one. */
  readonly name: string;
  /** `MX`, or what the declaration calls it; empty without a region. */
  readonly country: string;
  /** `es`, or what the declaration calls it. */
  readonly language: string;
}

export type OwnerKind = "campaign" | "canvas";

/** A campaign or a canvas, with the messages it sends. */
export interface MessageOwner {
  readonly kind: OwnerKind;
  readonly id: string;
  readonly name: string;
  /** A campaign has one, without id and name. */
  readonly steps: readonly Step[];
}

export interface Step {
  readonly id: string;
  readonly name: string;
  readonly variations: readonly Variation[];
}

/** Of steps and messages: what an owner can be found by. */
export function idsIn(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ id, variations }) => [...(id === "" ? [] : [id]), ...variations.map((variation) => variation.id)]);
}

/** One message. Ids of steps and variations are unique in the workspace. */
export interface Variation {
  readonly id: string;
  readonly name: string;
  readonly channel: string;
  /** Languages it is to be translated into; none: it does not support multi-language. */
  readonly localeIds: readonly string[];
}

/** Texts by their ids (`id_0`), in the order of the message. */
export type Texts = ReadonlyMap<string, string>;

/** Of what limits count: the texts in UTF-8, with their ids. */
export function textsBytes(texts: Texts): number {
  return [...texts].reduce((sum, [id, text]) => sum + Buffer.byteLength(id) + Buffer.byteLength(text), 0);
}

/** Texts of a message in one language; an empty `localeId` stands for the source. */
export interface TextsKey {
  readonly messageId: string;
  readonly localeId: string;
}

export const sourceLocaleId = "";

/** What can be sent; translations are for email alone. */
export const channels: readonly string[] = [
  "email",
  "sms",
  "whatsapp",
  "rcs",
  "line",
  "push",
  "in_app_message",
  "content_card",
  "banner",
  "webhook",
];

export const translatedChannel = "email";

/** What holds where nothing was declared: open to everybody, and off. */
export const undeclaredSettings: TranslationSettings = { earlyAccess: true, enabled: false, locales: [] };

/** As locales are compared: case and the kind of dash do not matter. */
export function localeKey(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}
