/** RPC PreviewPreferenceCenter: a draft checked as a write checks it, and filled in as its pages would be, for a person who is made up. */
import type { PreviewPreferenceCenterRequest } from "../../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { CenterDeps } from "../domain/center-ports.ts";
import { foundCenter } from "../domain/change-center.ts";
import { contentFrom } from "../domain/check-center.ts";
import type { Consent, Person } from "../domain/page-ports.ts";
import { noFields } from "../domain/person-fields.ts";
import { choicePage, confirmationPage, type Shown } from "../page/hosted-page.ts";
import { openPages } from "../page/pages.ts";
import { callerOf, draftOf } from "./center-messages.ts";

type PreviewDeps = Pick<CenterDeps, "centers" | "newCenterId"> & { readonly consent: Consent };

export async function handlePreview({ centers, newCenterId, consent }: PreviewDeps, message: PreviewPreferenceCenterRequest) {
  const { workspaceId, requestId } = callerOf(message);
  const [center, settings] = await Promise.all([foundCenter({ centers }, workspaceId, message.id), centers.settings(workspaceId)]);
  const draft = { ...center, content: contentFrom(draftOf(message.content), center.content) };
  // Of its own: what is not published is never looked for beside what people open
  const pages = openPages();
  const warnings = pages.check(draft.content, settings);
  const person: Person = { userId: "", externalId: newCenterId(), email: "person@example.com" };
  const states = await consent.states(
    { workspaceId, requestId, traceparent: message.scope?.traceparent ?? "" },
    { ...person, email: null },
  );
  // Without a frame, so nothing of it runs
  const shown: Shown = { center: draft, settings, person, states, fields: noFields };
  return {
    pageHtml: choicePage(pages, shown).html,
    answerHtml: confirmationPage(pages, shown, { groups: new Map() }).html,
    warnings: [...warnings],
  };
}
