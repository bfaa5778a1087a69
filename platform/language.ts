/** Which texts are languages: ISO 639-1 codes, frozen here because the tables of runtimes differ. */

const codes: ReadonlySet<string> = new Set(
  `aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es
  et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki
  kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no
  nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te
  tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu`.split(/\s+/),
);

/** Codes withdrawn from ISO 639-1 that are still sent. */
const replaced: ReadonlyMap<string, string> = new Map([
  ["in", "id"],
  ["iw", "he"],
  ["ji", "yi"],
  ["jw", "jv"],
  ["mo", "ro"],
  ["sh", "sr"],
]);

/** The ISO 639-1 code that `text` is, in any case of letters, also where a region follows (`en-US`, `pt_BR`). */
export function languageCode(text: string): string | undefined {
  const [, code] = /^([A-Za-z]{2})(?:[-_][A-Za-z\d]{2,8})*$/.exec(text.trim()) ?? [];
  if (code === undefined) return undefined;
  const lower = code.toLowerCase();
  return codes.has(lower) ? lower : replaced.get(lower);
}
