/** The error reference as data: every refusal with its status, meaning, text and advice, by who can do something about it. */
import { type Reason, reasons, Refusal } from "../../platform/refusal.ts";
import { refusalAnswer, type RefusalRow, refusalTable } from "../render/refusal-rest.ts";
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
    const { status } = refusalAnswer(new Refusal(reason), "rest");
    return {
      reason,
      status,
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
that the outcome is unknown. ↻: the same request may succeed later; wait as \`Retry-After\` says. SCIM routes put the text under
\`detail\` (RFC 7644, section 3.12).

| Status | Reason | Meaning | What to do |
| --- | --- | --- | --- |
${lines.join("\n")}
| 500 | none | A fault of Heddle's own | Report it with the id of the header \`X-Request-Id\`; a write may or may not have happened, repeat it with the same Idempotency-Key |

## Errors of single objects

Where a request holds many objects, each is judged by itself. An entry of \`errors\` says with \`input_array\` and \`index\` which object
it was, counted from 0, and with \`type\` what is wrong: it quotes the field and says what that takes. The object had no effect, the
others were taken, and the answer counts them. Mend the object and send it alone. Where none was valid the request is a 400
(\`NOTHING_VALID\`).
`;
}
