/** RPCs CreatePreferencePageLink, OpenPreferencePage and SubmitPreferencePage. */
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type {
  CreatePreferencePageLinkRequest,
  OpenPreferencePageRequest,
  SubmitPreferencePageRequest,
} from "../../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { CenterStore } from "../domain/center-ports.ts";
import { foundCenter } from "../domain/change-center.ts";
import { boxField, choicesOf, recordField, type SentForm, sentForm, stateField } from "../domain/form-choices.ts";
import type { Consent, PageRequest, People } from "../domain/page-ports.ts";
import { isNoneWanted, noFields, type PersonFields, type WantedFields } from "../domain/person-fields.ts";
import { saveChoices } from "../domain/save-choices.ts";
import type { PageLink, PageLinks } from "../links/page-links.ts";
import { askedBy, choicePage, confirmationPage, type FilledPage, type Shown, wantedOf } from "../page/hosted-page.ts";
import type { Pages } from "../page/pages.ts";
import { callerOf } from "./center-messages.ts";

export interface HostedDeps {
  readonly centers: CenterStore;
  readonly links: PageLinks;
  /** The same at each call. */
  readonly pages: () => Promise<Pages>;
  readonly people: People;
  readonly consent: Consent;
}

export async function handleCreateLink(deps: HostedDeps, message: CreatePreferencePageLinkRequest) {
  const caller = callerOf(message);
  const { traceparent = "", readAfter = "" } = message.scope ?? {};
  const [center, person] = await Promise.all([
    foundCenter(deps, caller.workspaceId, message.id),
    deps.people.byExternalId({ ...caller, traceparent, readAfter }, message.externalId),
  ]);
  if (center.content.state === "draft") throw new Refusal("STATE_CONFLICT", "The preference center is a draft: its pages do not open");
  if (person === undefined) throw new Refusal("NOT_FOUND", "No user has this external id");
  const link = { workspaceId: caller.workspaceId, centerId: center.id, userId: person.userId };
  const { token, expiresAt } = await deps.links.make(link);
  return { path: `/preferences/${token}`, expiresAt: BigInt(expiresAt) };
}

export async function handleOpenPage(deps: HostedDeps, message: OpenPreferencePageRequest) {
  const { shown } = await opened(deps, message, "page");
  return { page: pageMessage(choicePage(await deps.pages(), shown)) };
}

export async function handleSubmitPage(deps: HostedDeps, message: SubmitPreferencePageRequest) {
  const sent = formOf(message.form);
  const { shown, request } = await opened(deps, message, "answer");
  const { states, person } = shown;
  const pages = await deps.pages();
  const choices = choicesOf(sent, askedBy(pages, shown, sent.values.keys()), { whole: message.wholeForm, global: states.global });
  const all = sent.values.get(recordField) === "all";
  const saved = await saveChoices(deps.consent, request, { choices, shown: sent.shown, person, states, all });
  return { page: pageMessage(confirmationPage(pages, shown, saved.choices)), position: saved.position };
}

async function opened(
  { links, centers, people, consent, pages }: HostedDeps,
  { token, requestId, traceparent }: { readonly token: string; readonly requestId: string; readonly traceparent: string },
  showing: "page" | "answer",
): Promise<{ readonly shown: Shown; readonly request: PageRequest }> {
  const link = await links.open(token);
  const { workspaceId, centerId, userId } = link;
  const request = { workspaceId, requestId, traceparent };
  const [center, settings, person] = await Promise.all([
    centers.byId(workspaceId, centerId),
    centers.settings(workspaceId),
    people.byUserId(request, userId),
  ]);
  if (center === undefined || center.content.state === "draft" || person === undefined) {
    throw new Refusal("NOT_FOUND", "The page of this link is not there any more");
  }
  const wanted = wantedOf(await pages(), center, showing);
  const [states, fields] = await Promise.all([consent.states(request, person), fieldsOf(people, { request, userId }, wanted)]);
  const frame = settings.scriptsAllowed ? { token: await formTokenOf(links, link, token), name: requestId } : undefined;
  return { shown: { center, settings, person, states, fields, ...(frame && { frame }) }, request };
}

/** A page is worth more than what it shows of a profile: where that cannot be read, defaults stand for it. */
async function fieldsOf(
  people: People,
  { request, userId }: { readonly request: PageRequest; readonly userId: string },
  wanted: WantedFields,
): Promise<PersonFields> {
  if (isNoneWanted(wanted)) return noFields;
  return await people.fields(request, userId, wanted).catch((error: unknown) => {
    if (error instanceof Refusal) return noFields;
    throw error;
  });
}

/** A page that was opened by the token of a form has no other, so none is good for longer than the first. */
async function formTokenOf(links: PageLinks, link: PageLink, token: string): Promise<string> {
  return link.kind === "form" ? token : await links.makeForm(link);
}

/** Refuses INPUT_INVALID for what is no form. */
function formOf(bytes: Uint8Array): SentForm {
  const pairs = [...new URLSearchParams(textOf(bytes))];
  // What we put into the form ourselves takes nothing from its author
  const own = pairs.filter(([name]) => name !== boxField && name !== stateField);
  if (own.length > limits.pageFieldsMax) throw new Refusal("INPUT_INVALID", `A form may have ${limits.pageFieldsMax} fields`);
  return sentForm(pairs);
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Refusal("INPUT_INVALID", "The form must be UTF-8", { cause });
  }
}

function pageMessage({ html, policy }: FilledPage) {
  return { html: new TextEncoder().encode(html), securityPolicy: policy };
}
