/** The pages of the one-click unsubscribe: plain HTML that loads and runs nothing. */
import type { HttpAnswer } from "../http-message.ts";
import { closedPolicy, personPageHeaders } from "./person-page-headers.ts";

/** Asks; its button posts to the page's own address. */
export function unsubscribePage(email: string): HttpAnswer {
  return page(`<p>Do you want no more email to <strong>${escaped(email)}</strong>?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button type="submit">Unsubscribe</button></form>`);
}

export function unsubscribedPage(): HttpAnswer {
  return page("<p>You are unsubscribed.</p>");
}

const policy = closedPolicy(["form-action", "'self'"], ["allow-forms"]);

function page(content: string): HttpAnswer {
  return {
    status: 200,
    contentType: "text/html; charset=utf-8",
    headers: personPageHeaders(policy),
    body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Unsubscribe</title></head>
<body>${content}</body></html>
`,
  };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}
