/** Hosted pages as answers, and what a person reads when one cannot be shown or saved. */
import type { Reason, Refusal } from "../../platform/refusal.ts";
import type { HostedPage } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { HttpAnswer } from "../http/http-message.ts";
import { personPageHeaders } from "./person-page-headers.ts";
import { failed, openAgain, refusalPage, type Sentences, tooOften } from "./refusal-page.ts";

export function hostedPage(page: HostedPage | undefined): HttpAnswer {
  if (page === undefined) throw new Error("The service answered without a page");
  return { status: 200, contentType: "text/html; charset=utf-8", headers: personPageHeaders(page.securityPolicy), body: page.html };
}

export function preferenceRefusalPage(refusal: Refusal): HttpAnswer {
  return refusalPage(refusal, sentences.get(refusal.reason) ?? failed);
}

const gone = {
  heading: "This page is not available",
  text: "The link is not valid, has expired, or its page was open for too long. " +
    "Please open the link of the message again, or that of a newer message.",
};
const odd = { heading: "That did not work", text: `Your choices could not be read and nothing was changed. ${openAgain}.` };
const sentences: ReadonlyMap<Reason, Sentences> = new Map([
  ["NOT_FOUND", gone],
  ["STATE_CONFLICT", {
    heading: "This page cannot be shown",
    text: "It is not set up rightly, and nothing was changed. Please tell the sender of the message that the link was in.",
  }],
  ["RATE_LIMITED", tooOften],
  ["INPUT_INVALID", odd],
  ["BODY_TOO_LARGE", odd],
  ["CONTENT_TYPE_UNSUPPORTED", odd],
  ["PARTLY_DONE", {
    heading: "Not all of your choices are saved",
    text: `What could be saved is saved. ${openAgain}, look through it and save once more.`,
  }],
  ["OUTCOME_UNKNOWN", {
    heading: "We do not know whether that was saved",
    text: `${openAgain}, look through your choices and save once more. Saving twice does no harm.`,
  }],
  // Also where the page was only to be shown
  ["DEADLINE_EXCEEDED", {
    heading: "That took too long",
    text: `${openAgain}, look through your choices and, if you were saving, save once more. Saving twice does no harm.`,
  }],
]);
