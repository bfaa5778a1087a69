/** The pages of the one-click unsubscribe: plain HTML that loads and runs nothing. */
import { escapeText } from "../../platform/escape-html.ts";
import type { Reason, Refusal } from "../../platform/refusal.ts";
import type { HttpAnswer } from "../http/http-message.ts";
import { personPage } from "./person-page.ts";
import { closedPolicy, personPageHeaders } from "./person-page-headers.ts";
import { failed, openAgain, refusalPage, type Sentences, tooOften } from "./refusal-page.ts";

/** Asks; its button posts to the page's own address. `group`: name of the one group that is left, empty where it is not known; undefined: all email. */
export function unsubscribePage(email: string, group: string | undefined): HttpAnswer {
  const what = group === undefined ? "email" : `email of ${named(group)}`;
  return page(
    "Unsubscribe",
    `<p>Do you want no more ${what} to <strong>${escapeText(email)}</strong>?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button type="submit">Unsubscribe</button></form>`,
  );
}

/** `group` as with unsubscribePage. */
export function unsubscribedPage(group: string | undefined): HttpAnswer {
  return page("Unsubscribed", `<p role="status">You are unsubscribed${group === undefined ? "" : ` from ${named(group)}`}.</p>`);
}

/** What a person reads where the page cannot be shown or the unsubscribe was not done. */
export function unsubscribeRefusalPage(refusal: Refusal): HttpAnswer {
  return refusalPage(refusal, sentences.get(refusal.reason) ?? failed);
}

const sentences: ReadonlyMap<Reason, Sentences> = new Map([
  ["NOT_FOUND", {
    heading: "This link is not valid",
    text: "Nothing was changed. Please open the link of the message again, or that of a newer message.",
  }],
  ["INPUT_INVALID", { heading: "This list is not there any more", text: "Nothing was changed, and nothing is sent to that list." }],
  ["RATE_LIMITED", tooOften],
  ["OUTCOME_UNKNOWN", {
    heading: "We do not know whether that was done",
    text: `${openAgain} and unsubscribe once more. Doing it twice does no harm.`,
  }],
  ["DEADLINE_EXCEEDED", {
    heading: "That took too long",
    text: `${openAgain} and, if you were unsubscribing, do so once more. Doing it twice does no harm.`,
  }],
]);

function named(group: string): string {
  return group === "" ? "one list" : `<strong>${escapeText(group)}</strong>`;
}

const policy = closedPolicy(["form-action", "'self'"], ["allow-forms"]);

function page(heading: string, content: string): HttpAnswer {
  return {
    status: 200,
    contentType: "text/html; charset=utf-8",
    headers: personPageHeaders(policy),
    body: personPage(heading, content),
  };
}
