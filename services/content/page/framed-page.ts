/**
 * A stored page whose scripts run: within a frame of a document of ours, and never as a document of its own. So its scripts have no address
 * bar, and what they can read of an address is a token that is good for some hours in place of the link's.
 */
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { escapeText } from "../../../platform/escape-html.ts";
import { sandboxWords } from "./page-policy.ts";

/** Where the workspace's scripts run. */
export interface Frame {
  /** Stands in for the link's token in every address that the page knows: the base of the document around it. */
  readonly token: string;
  /** Of this answer alone: what a browser goes back to is another frame then, which Chromium loads; it does not load the same one. */
  readonly name: string;
}

export interface Framing extends Frame {
  readonly title: string;
  /** Empty: not known. */
  readonly language: string;
  /** HTML of ours: what the options of the preference center, or the page itself, say for the document that a browser shows. */
  readonly head: string;
}

/** For the head of the framed page: its links and its form are for the whole window, but those to a place within the page. */
export const framedHead = `<base target="_top"><script>
addEventListener("click", (event) => {
  const link = event.target instanceof Element && event.target.closest("a[href^='#']");
  if (!link || event.defaultPrevented) return;
  event.preventDefault();
  location.hash = link.getAttribute("href");
});
</script>`;

/** A frame takes the base of the document that it is written in, so nothing in it names the address of that. */
export function framedPage(html: string, { title, language, head, token, name }: Framing): string {
  const content = html.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  if (content.length > limits.pageRenderBytesMax) throw new Refusal("STATE_CONFLICT", "The page is too large once it is filled in");
  return `<!doctype html>
<html${language === "" ? "" : ` lang="${escapeText(language)}"`}><head><meta charset="utf-8"><base href="${token}">
${head}<title>${escapeText(title)}</title><style>${style}</style></head>
<body><iframe autofocus name="${escapeText(name)}" title="${escapeText(title)}" sandbox="${
    sandboxWords.framed.join(" ")
  }" srcdoc="${content}"></iframe></body></html>
`;
}

/** A frame is printed as high as it is: two sheets, as browsers do not tell how high its content is. */
const style = `
html,body{margin:0;height:100%;overflow:hidden}
iframe{display:block;border:0;width:100%;height:100vh;height:100dvh}
@media print{html,body{height:auto;overflow:visible}iframe{height:200vh}}
`;
