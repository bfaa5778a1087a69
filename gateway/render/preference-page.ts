/** Hosted pages as answers, and what a person reads when one cannot be shown or saved. */
import type { Reason, Refusal } from "../../platform/refusal.ts";
import type { HostedPage } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { HttpAnswer } from "../http-message.ts";
import { closedPolicy, personPageHeaders } from "./person-page-headers.ts";
import { refusalAnswer } from "./refusal-rest.ts";

export function hostedPage(page: HostedPage | undefined): HttpAnswer {
  if (page === undefined) throw new Error("The service answered without a page");
  return { status: 200, contentType: html, headers: personPageHeaders(page.securityPolicy), body: page.html };
}

export function refusalPage(refusal: Refusal): HttpAnswer {
  const { heading, text } = sentencesOf(refusal);
  return {
    ...refusalAnswer(refusal, "rest", personPageHeaders(plainPolicy)),
    contentType: html,
    body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${heading}</title>
<style>body{font:1.0625rem/1.5 system-ui,sans-serif;color:#1b1b1f;background:#fff;max-width:34rem;margin:3rem auto;padding:0 1rem}</style></head>
<body><main><h1>${heading}</h1><p role="alert">${text}</p></main></body></html>
`,
  };
}

const html = "text/html; charset=utf-8";
const plainPolicy = closedPolicy(["form-action", "'none'"]);

/** In words for a person who knows nothing of an API. Nothing of the refusal's own text, which may quote what was sent. */
function sentencesOf({ reason }: Refusal): { readonly heading: string; readonly text: string } {
  return sentences.get(reason) ?? failed;
}

const gone = {
  heading: "This page is not available",
  text: "The link is not valid, has expired, or its page was open for too long. " +
    "Please open the link of the message again, or that of a newer message.",
};
const failed = {
  heading: "That did not work",
  text: "Nothing was changed. Please try again in a few minutes.",
};
const odd = { heading: "That did not work", text: "Your choices could not be read and nothing was changed. Please open the page again." };
const sentences: ReadonlyMap<Reason, { readonly heading: string; readonly text: string }> = new Map([
  ["NOT_FOUND", gone],
  ["STATE_CONFLICT", {
    heading: "This page cannot be shown",
    text: "It is not set up rightly, and nothing was changed. Please tell the sender of the message that the link was in.",
  }],
  ["RATE_LIMITED", {
    heading: "Too often",
    text: "This link was used very often just now, and nothing was changed. Please try again in a minute.",
  }],
  ["INPUT_INVALID", odd],
  ["BODY_TOO_LARGE", odd],
  ["CONTENT_TYPE_UNSUPPORTED", odd],
  ["PARTLY_DONE", {
    heading: "Only part of your choices was saved",
    text: "Some of your choices were saved and some were not. Please open the page again, look through it and save once more.",
  }],
  ["OUTCOME_UNKNOWN", {
    heading: "We do not know whether that was saved",
    text: "Please open the page again, look through your choices and save once more. Saving twice does no harm.",
  }],
]);
