/** DATA: the pages used where none is stored: plain HTML with labels, readable on a phone, worked by keyboard, in dark and light. */

import { escapeText } from "../../../platform/escape-html.ts";

interface BuiltInGroup {
  /** The name of its form field. */
  readonly field: string;
  readonly name: string;
  readonly subscribed: boolean;
}

export interface BuiltInValues {
  readonly title: string;
  readonly head: string;
  /** Empty: the person has no address, and so no state of all email. */
  readonly email: string;
  readonly groups: readonly BuiltInGroup[];
  readonly unsubscribed: boolean;
  readonly globalField: string;
  /** What the global state is when the box is not ticked. */
  readonly subscribedValue: string;
  readonly submitUrl: string;
  /** HTML that says what the page shows. */
  readonly marks: string;
}

/** A hidden field says what an empty box means, so a box that is not ticked is a choice too. */
export function builtInPage(values: BuiltInValues): string {
  const { title, email, groups, submitUrl, marks } = values;
  const choices = groups.length === 0 ? "" : `<fieldset><legend>Emails you receive</legend>
${groups.map((group, at) => choice(group, `group-${at}`)).join("\n")}
</fieldset>
`;
  return page(
    values,
    `<h1>${named(title)}</h1>
${
      email === ""
        ? ""
        : `<p>These are the settings for <strong>${escapeText(email)}</strong>.</p>\n`
    }<form method="post" action="${submitUrl}">${marks}
${choices}${email === "" ? "" : everything(values)}<button type="submit">Save</button>
</form>`,
  );
}

/** `saved`: how it stands now, as names of groups and of all email with their states. */
export function builtInConfirmation({ head }: Pick<BuiltInValues, "head">, saved: readonly (readonly [string, string])[]): string {
  const list = saved.map(([name, state]) => `<li>${named(name)}: <strong>${escapeText(state)}</strong></li>`).join("\n");
  const title = "Your choices are saved";
  return page(
    { title, head },
    `<h1>${title}</h1>
<p role="status">${saved.length === 0 ? "There was nothing to change." : "From now on this holds:"}</p>
${saved.length === 0 ? "" : `<ul>\n${list}\n</ul>\n`}<p><a href="?">Back to your settings</a></p>`,
  );
}

/** A name of any language: what stands beside it, and its own punctuation, stays in its place. */
function named(name: string): string {
  return `<bdi>${escapeText(name)}</bdi>`;
}

function choice({ field, name, subscribed }: BuiltInGroup, id: string): string {
  const fieldName = escapeText(field);
  return `<div class="choice"><input type="hidden" name="${fieldName}" value="unsubscribed">
<input type="checkbox" id="${id}" name="${fieldName}" value="subscribed"${subscribed ? " checked" : ""}><label for="${id}">${
    named(name)
  }</label></div>`;
}

function everything({ groups, unsubscribed, subscribedValue, globalField }: BuiltInValues): string {
  const note = '<p id="all-note" class="note">Your choices above are kept and hold again when you untick this.</p>\n';
  return `<fieldset><legend>All emails</legend>
<div class="choice"><input type="hidden" name="${globalField}" value="${subscribedValue}">
<input type="checkbox" id="all" name="${globalField}" value="unsubscribed"${groups.length === 0 ? "" : ' aria-describedby="all-note"'}${
    unsubscribed ? " checked" : ""
  }>
<label for="all">Unsubscribe me from all emails</label></div>
${groups.length === 0 ? "" : note}</fieldset>
`;
}

function page({ title, head }: Pick<BuiltInValues, "title" | "head">, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">${head.includes('name="viewport"') ? "" : viewport}<title>${escapeText(title)}</title>
${head}<style>${style}</style></head>
<body><main>
${content}
</main></body></html>
`;
}

const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">';

const style = `
:root{color-scheme:light dark;--ink:#1b1b1f;--paper:#fff;--soft:#55555f;--line:#85858f;--act:#1d4ed8;--on-act:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#f2f2f5;--paper:#17171a;--soft:#b9b9c2;--line:#8b8b96;--act:#9db7ff;--on-act:#10131c}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1.0625rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
main{max-width:36rem;margin:0 auto;padding:2rem 1.25rem 3rem}
h1{font-size:1.625rem;line-height:1.25;margin:0 0 .75rem}
p{margin:.5rem 0}
fieldset{border:1px solid var(--line);border-radius:.5rem;margin:1.25rem 0;padding:.5rem 1rem .75rem}
legend{font-weight:600;padding:0 .375rem}
.choice{display:flex;align-items:center;gap:.75rem;min-height:2.75rem}
.choice label{flex:1;padding:.5rem 0}
input[type=checkbox]{flex:none;width:1.375rem;height:1.375rem;margin:0;accent-color:var(--act)}
.note{color:var(--soft);font-size:.9375rem}
button{font:inherit;font-weight:600;min-height:2.75rem;padding:.5rem 2rem;border:0;border-radius:.5rem;background:var(--act);color:var(--on-act);cursor:pointer}
a{color:var(--act)}
:focus-visible{outline:3px solid var(--act);outline-offset:3px}
@media (max-width:30rem){button{width:100%}}
`;
