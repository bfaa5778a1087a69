/** Contents of preference centers as JSON text and back. */
import type { CenterContent, PageSettings } from "../domain/center.ts";
import type { CenterAnswer } from "../domain/center-ports.ts";

export function contentToText(content: CenterContent): string {
  return JSON.stringify(content);
}

export function contentFromText(text: string): CenterContent {
  return JSON.parse(text) as CenterContent;
}

export function answerFromText(text: string): CenterAnswer {
  return JSON.parse(text) as CenterAnswer;
}

export function settingsFromText(text: string): PageSettings {
  return JSON.parse(text) as PageSettings;
}
