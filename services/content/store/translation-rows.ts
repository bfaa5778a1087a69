/** Settings, campaigns, canvases and texts as rows: JSON text, and bytes that are deflated where there are many. */
import { deflateSync, inflateSync } from "node:zlib";
import { limits } from "../../../platform/limits.ts";
import type { MessageOwner, OwnerKind, Texts, TranslationSettings } from "../domain/translation.ts";

export function translationSettingsFromText(text: string): TranslationSettings {
  return JSON.parse(text) as TranslationSettings;
}

/** Everything but kind and id, which are columns. */
export function ownerToText({ name, steps }: MessageOwner): string {
  return JSON.stringify({ name, steps });
}

export function ownerFromText(kind: string, id: string, text: string): MessageOwner {
  const { name, steps } = JSON.parse(text) as Pick<MessageOwner, "name" | "steps">;
  return { kind: kind as OwnerKind, id, name, steps };
}

/** Ids of steps and messages: what an owner can be found by. */
export function placesIn({ steps }: MessageOwner): readonly string[] {
  return steps.flatMap(({ id, variations }) => [...(id === "" ? [] : [id]), ...variations.map((variation) => variation.id)]);
}

/** Pairs: a text id is never a key of an object. */
export function textsToBytes(texts: Texts): Uint8Array {
  const plain = Buffer.from(JSON.stringify([...texts]));
  return plain.length > limits.translationPlainBytesMax ? deflateSync(plain, { level: 1 }) : plain;
}

export function textsFromBytes(bytes: Uint8Array): Texts {
  const plain = bytes[0] === openBracket ? bytes : inflateSync(bytes);
  return new Map(JSON.parse(new TextDecoder().decode(plain)) as [string, string][]);
}

/** JSON begins with a bracket, deflated bytes never do. */
const openBracket = 0x5b;
