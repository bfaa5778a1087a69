/** A refusal as a page, for people who opened a link. */
import type { Refusal } from "../../platform/refusal.ts";
import type { HttpAnswer } from "../http/http-message.ts";
import { personPage } from "./person-page.ts";
import { closedPolicy, personPageHeaders } from "./person-page-headers.ts";
import { refusalAnswer } from "./refusal-rest.ts";

export interface Sentences {
  readonly heading: string;
  /** HTML. */
  readonly text: string;
}

/** The sentences are for a person who knows nothing of an API. Nothing of the refusal's own text, which may quote what was sent. */
export function refusalPage(refusal: Refusal, { heading, text }: Sentences): HttpAnswer {
  return {
    ...refusalAnswer(refusal, "rest", personPageHeaders(plainPolicy)),
    contentType: "text/html; charset=utf-8",
    body: personPage(heading, `<p role="alert">${text}</p>`),
  };
}

/** The same of a fault: whether anything was changed is not known. */
export function faultPage(fault: HttpAnswer): HttpAnswer {
  return {
    ...fault,
    headers: [...fault.headers, ...personPageHeaders(plainPolicy)],
    contentType: "text/html; charset=utf-8",
    body: personPage(failed.heading, '<p role="alert">Something went wrong on our side. Please open the link again in a few minutes.</p>'),
  };
}

const plainPolicy = closedPolicy(["form-action", "'none'"]);

/** The address of the page that is shown, without what a form added to it. HTML. */
export const openAgain = 'Please <a href="?">open the page again</a>';

/** Where nothing else is said of a reason. */
export const failed: Sentences = {
  heading: "That did not work",
  text: "Nothing was changed. Please try again in a few minutes.",
};

export const tooOften: Sentences = {
  heading: "Too often",
  text: "This link was used very often just now, and nothing was changed. Please try again in a minute.",
};
