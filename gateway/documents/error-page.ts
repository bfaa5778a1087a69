/** GET /docs/errors: what each refusal means and what to do, one row a reason. */
import { faultAnswer } from "../render/refusal-rest.ts";
import { errorRows } from "./error-reference.ts";
import { inline, page } from "./page.ts";
import { guideList } from "./start-page.ts";

export function errorPage(): string {
  const rows = errorRows().map(({ reason, status, meaning, text, advice, again }) =>
    `<tr id="${reason}"><td class="status">${status}</td><td><code>${reason}</code></td>` +
    `<td>${inline(meaning)}${text === undefined ? "" : `<br><q>${inline(text)}</q>`}</td>` +
    `<td>${inline(advice)}${again ? ' <span class="again">worth another try</span>' : ""}</td></tr>`
  );
  return page({
    title: "Heddle: errors",
    aside: guideList(),
    main: `<h1>What each error means</h1>
<p>Every refusal is JSON with a <code>message</code> for people, <code>errors</code> where there are details, and its reason in the header
<code>X-Heddle-Reason</code>. Programs read the reason: it is stable for ever, texts are not. A refused request had no effect, unless it
says that the outcome is unknown, or that a part of it was done. SCIM routes put the text under <code>detail</code>.
<code>/users/track</code> and its bulk and sync forms have an array with the <code>message</code> under <code>errors</code> where there are no
other details, but with 401; routes of translations always, as <code>{message}</code>.</p>
<div class="wide"><table><thead><tr><th>Status</th><th>Reason</th><th>Meaning</th><th>What to do</th></tr></thead>
<tbody>
${rows.join("\n")}
<tr id="fault"><td class="status">${faultAnswer("").status}</td><td>none</td><td>A fault of Heddle's own</td>
<td>Report it with the id of the header <code>X-Request-Id</code>. A write may or may not have happened: repeat it with the same
<code>Idempotency-Key</code></td></tr>
</tbody></table></div>
<h2 id="objects">Errors of single objects</h2>
<p>Where a request holds many objects, each is judged by itself. An entry of <code>errors</code> says with <code>input_array</code> and <code>index</code> which object
it was, counted from 0, and with <code>type</code> what is wrong: it quotes the field and says what that takes. The object had no effect, the
others were taken, and the answer counts them. Mend the object and send it alone. Where none was valid the request is a 400
(<code>NOTHING_VALID</code>).</p>
<pre><code>HTTP/1.1 201 Created

{
  "attributes_processed": 1,
  "errors": [
    { "type": "'inc' of 'visits' must be a number", "input_array": "attributes", "index": 1 }
  ],
  "message": "success"
}</code></pre>`,
  });
}
