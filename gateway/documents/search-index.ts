/** What can be found from the search field: the sections of the guides, and each call; the page's script searches in it. */
import { entries } from "../openapi/entries.ts";
import { guideHtml, guides } from "./guides.ts";

interface Found {
  readonly id: number;
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

const textCharsMax = 2_000;

export async function searchIndex(): Promise<string> {
  const sections = await Promise.all(guides.map(async (guide) => {
    const [, ...parts] = (await guideHtml(guide)).split(/<h[1-3] id="/);
    return parts.map((part) => {
      const [anchor = "", rest = ""] = split(part, '">');
      const [title = "", body = ""] = split(rest, "</h");
      return { title: `${guide.title}: ${plain(title)}`, url: `/docs/${guide.name}#${anchor}`, text: plain(body).slice(0, textCharsMax) };
    });
  }));
  const calls = entries.map(({ operationId, summary, route, description = "" }) => ({
    title: `${route}: ${summary}`,
    url: `/docs/calls/${operationId}`,
    text: `${operationId} ${description}`,
  }));
  return JSON.stringify([...calls, ...sections.flat()].map((found, id): Found => ({ id, ...found })));
}

function split(text: string, at: string): readonly [string, string] {
  const place = text.indexOf(at);
  return place === -1 ? [text, ""] : [text.slice(0, place), text.slice(place + at.length)];
}

function plain(html: string): string {
  return html.replaceAll(/<[^<>]*>/g, " ").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll(
    "&amp;",
    "&",
  ).replaceAll(/\s+/g, " ");
}
