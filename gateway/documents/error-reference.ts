/** The error reference as data: every refusal with its status, meaning, text and advice, by who can do something about it. */
import { type Reason, reasons } from "../../platform/refusal.ts";
import { type RefusalRow, refusalTable } from "../render/refusal-rest.ts";
import { advice } from "./advice.ts";

export interface ErrorRow {
  readonly reason: Reason;
  readonly status: number;
  readonly meaning: string;
  /** `message` where it is always the same; else it says what is wrong with this request. */
  readonly text: string | undefined;
  readonly advice: string;
  /** Sending the same request again later may help. */
  readonly again: boolean;
}

/** In the order of their statuses. */
export function errorRows(): readonly ErrorRow[] {
  const rows = (Object.keys(reasons) as Reason[]).map((reason): ErrorRow => {
    const row: RefusalRow = refusalTable[reason];
    return {
      reason,
      status: row.status,
      meaning: reasons[reason],
      text: row.text,
      advice: advice[reason],
      again: row.retry === true || reason === "RATE_LIMITED",
    };
  });
  return rows.toSorted((a, b) => a.status - b.status);
}

/** docs/errors.md */
export function errorMarkdown(): string {
  const lines = errorRows().map(({ reason, status, meaning, text, advice, again }) =>
    `| ${status} | \`${reason}\` | ${meaning}${text === undefined ? "" : `. Text: "${text}"`} | ${advice}${again ? " ↻" : ""} |`
  );
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
| 500 | none | A fault of Heddle's own | Report it with the id of the header \`X-Request-Id\`; a write may or may not have happened, repeat it with the same Idempotency-Key |

## Errors of single objects

An entry of \`errors\` says with \`input_array\` and \`index\` which object it was, counted from 0, and with \`type\` what is wrong: it quotes
the field and says what that takes. \`/users/identify\` has one \`input_array\` for its three lists; \`list\` names the list where several were sent.

\`/users/track\` with its bulk and sync forms, \`/users/alias/new\`, \`/users/identify\` and \`/users/external_ids/rename\` and \`/remove\` judge each
object by itself: it had no effect, the others were taken, and the answer counts them. Mend the object and send it alone. Where none was valid,
\`/users/track\` and \`/users/alias/new\` answer 400 (\`NOTHING_VALID\`), the others 201. Of external ids an error is \`[index, text]\`, in
\`rename_errors\` and \`removal_errors\`.

All other routes refuse the whole request for one entry that cannot be read, with 400: \`errors\` beside the \`message\` names the entries to mend.
`;
}
