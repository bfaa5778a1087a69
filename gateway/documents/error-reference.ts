/** The error reference, docs/errors.md and GET /docs/errors: every refusal with its status, meaning, text and advice. */
import { type Reason, reasons } from "../../platform/refusal.ts";
import { faultAnswer, type RefusalRow, refusalTable } from "../render/refusal-rest.ts";
import { advice } from "./advice.ts";
import { markdownHtml } from "./guides.ts";

/** Each row can be linked to by its reason. */
export function errorHtml(): string {
  return markdownHtml(errorMarkdown())
    .replaceAll(
      /<tr><td>(\d+)<\/td><td>(?:<code>(\w+)<\/code>|none)</g,
      (row, status: string, reason = "fault") => row.replace(`<tr><td>${status}`, `<tr id="${reason}"><td class="status">${status}`),
    )
    .replace('id="errors-of-single-objects"', 'id="objects"');
}

/** In the order of the statuses. */
export function errorMarkdown(): string {
  const lines = (Object.keys(reasons) as Reason[]).toSorted((a, b) => refusalTable[a].status - refusalTable[b].status).map((reason) => {
    const { status, text, retry }: RefusalRow = refusalTable[reason];
    const again = retry === true || reason === "RATE_LIMITED";
    return `| ${status} | \`${reason}\` | ${reasons[reason]}${text === undefined ? "" : `. Text: "${text}"`} | ${advice[reason]}${
      again ? " ↻" : ""
    } |`;
  });
  return `# What each error means

Generated from the table of refusals by \`npm run reference\`; a running server shows it at \`/docs/errors\`.

Every refusal is JSON with a \`message\` for people, \`errors\` where there are details, and its reason in the header
\`X-Heddle-Reason\`. Programs read the reason: it is stable for ever, texts are not. A refused request had no effect, unless it says
that the outcome is unknown, or that a part of it was done. ↻: the same request may succeed later; wait as \`Retry-After\` says. SCIM routes put the text under
\`detail\` (RFC 7644, section 3.12). \`/users/track\` and its bulk and sync forms have an array with the \`message\` under \`errors\` where there are no other details,
but with 401; routes of translations always, as \`{message}\`.

| Status | Reason | Meaning | What to do |
| --- | --- | --- | --- |
${lines.join("\n")}
| ${
    faultAnswer("").status
  } | none | A fault of Heddle's own | Report it with the id of the header \`X-Request-Id\`; a write may or may not have happened, repeat it with the same \`Idempotency-Key\` |

## Errors of single objects

An entry of \`errors\` says with \`input_array\` and \`index\` which object it was, counted from 0, and with \`type\` what is wrong: it quotes
the field and says what that takes. \`/users/identify\` has one \`input_array\` for its three lists; \`list\` names the list where several were sent.

\`\`\`http
HTTP/1.1 201 Created

{
  "attributes_processed": 1,
  "errors": [
    { "type": "'inc' of 'visits' must be a number", "input_array": "attributes", "index": 1 }
  ],
  "message": "success"
}
\`\`\`

\`/users/track\` with its bulk and sync forms, \`/users/alias/new\`, \`/users/identify\` and \`/users/external_ids/rename\` and \`/remove\` judge each
object by itself: it had no effect, the others were taken, and the answer counts them. Mend the object and send it alone. Where none was valid,
\`/users/track\` and \`/users/alias/new\` answer 400 (\`NOTHING_VALID\`), the others 201. Of external ids an error is \`[index, text]\`, in
\`rename_errors\` and \`removal_errors\`.

All other routes refuse the whole request for one entry that cannot be read, with 400: \`errors\` beside the \`message\` names the entries to mend.
`;
}
