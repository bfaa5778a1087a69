/** heddle translations: what is translated, in the data folder or in the mesh, whether or not servers run. */
import type { Client } from "@connectrpc/connect";
import { Refusal } from "../../platform/refusal.ts";
import {
  type MessageOwner,
  MessageOwnerKind,
  type MissingTexts,
  type TranslationService,
} from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { withAccessTarget, type WorkspaceOptions } from "../target/access-target.ts";
import { chooseWorkspace } from "../target/data-folder.ts";
import { CommandError, exitCodes, print, printError, printResult, table, UsageError } from "../shell/output.ts";
import { withTranslations } from "../target/content-target.ts";

export interface MissingOptions extends WorkspaceOptions {
  readonly locale?: string;
  readonly check?: boolean;
}

/** With `check` the code is 1 where something is missing. */
export async function missing(options: MissingOptions): Promise<number> {
  const { missing, more } = await inWorkspace(
    options,
    (translations, workspaceId) =>
      translations.listMissingTexts({ scope: { workspaceId }, locale: options.locale ?? "" }).catch((error: unknown) => {
        // Not the code of texts that are missing
        throw error instanceof Refusal && error.reason === "INPUT_INVALID" ? new UsageError(error.message, { cause: error }) : error;
      }),
  );
  const text = missing.length === 0 ? "Nothing is missing" : table(["LOCALE", "MESSAGE", "MISSING", "TEXTS"], missing.map(missingCells));
  printResult(options, missing.map(missingJson), text);
  // Beside the JSON, which stays one document
  if (more) (options.json ? printError : print)("There are more; name one language with --locale");
  return options.check && missing.length > 0 ? exitCodes.failure : exitCodes.ok;
}

/** Everything that has an id, with it. */
export async function list(options: WorkspaceOptions): Promise<number> {
  const { settings, owners } = await inWorkspace(
    options,
    (translations, workspaceId) => translations.getDeclaredTranslations({ scope: { workspaceId }, sourceCharsMax: 0 }),
  );
  const locales = (settings?.locales ?? []).map(({ id, name }) => ({ what: "locale", name, id, channel: "", locales: "" }));
  const things = [...locales, ...owners.flatMap(thingsOf)];
  const cells = things.map((thing) => [thing.what, thing.name, thing.channel, thing.locales, thing.id]);
  printResult(options, things, things.length === 0 ? "Nothing is declared" : table(["WHAT", "NAME", "CHANNEL", "LOCALES", "ID"], cells));
  return exitCodes.ok;
}

async function inWorkspace<T>(
  options: WorkspaceOptions,
  work: (translations: Client<typeof TranslationService>, workspaceId: string) => Promise<T>,
): Promise<T> {
  return await withAccessTarget(options, async (access, database) => {
    const { id } = chooseWorkspace(access.rows(), options.workspace);
    const found = await withTranslations({ database }, async (translations) => ({ result: await work(translations, id) }));
    if (found === undefined) throw new CommandError("Translations are kept by the content service: set HEDDLE_CONTENT_URL");
    return found.result;
  });
}

function thingsOf({ kind, id, name, steps }: MessageOwner) {
  const owner = { what: kindName(kind), name, id, channel: "", locales: "" };
  return [
    owner,
    ...steps.flatMap((step) => {
      const path = step.name === "" ? name : `${name}/${step.name}`;
      const own = step.id === "" ? [] : [{ what: "step", name: path, id: step.id, channel: "", locales: "" }];
      const messages = step.variations.map((variation) => ({
        what: "message variation",
        name: `${path}/${variation.name}`,
        id: variation.id,
        channel: variation.channel,
        locales: (variation.locales?.names ?? []).join(" "),
      }));
      return [...own, ...messages];
    }),
  ];
}

function missingCells({ ownerName, stepName, messageVariationName, locale, textIds }: MissingTexts): string[] {
  const path = [ownerName, stepName, messageVariationName].filter((name) => name !== "").join("/");
  const shown = textIds.slice(0, shownTexts).join(" ");
  return [locale?.name ?? "", path, String(textIds.length), textIds.length > shownTexts ? `${shown} ...` : shown];
}

const shownTexts = 5;

/** Under the names of the HTTP API. */
function missingJson(texts: MissingTexts) {
  const owner = texts.kind === MessageOwnerKind.CAMPAIGN
    ? { campaign_id: texts.ownerId, campaign: texts.ownerName }
    : { workflow_id: texts.ownerId, canvas: texts.ownerName, step_id: texts.stepId, step: texts.stepName };
  return {
    ...owner,
    message_variation_id: texts.messageVariationId,
    message_variation: texts.messageVariationName,
    locale_id: texts.locale?.id ?? "",
    locale: texts.locale?.name ?? "",
    missing: texts.textIds,
  };
}

function kindName(kind: MessageOwnerKind): string {
  return kind === MessageOwnerKind.CAMPAIGN ? "campaign" : "canvas";
}
