/** Names that no other test file has in a mesh that many share: companies and secrets of a declaration get an ending, and lose it in answers. */
import { isMap, isScalar, isSeq, parseDocument, type Scalar, visit } from "yaml";

export interface OwnNames {
  /** A declaration with the ending on every company and every secret, line by line as before. Remembers them. */
  declared(text: string): string;
  secret(declared: string): string;
  /** An Authorization header with the ending, where it is a bearer's secret that was declared. */
  authorization(value: string): string;
  /** A whole request as text, the same. */
  request(text: string): string;
  /** Words of a command line: `--company` and `--workspace` name what was declared. */
  words(words: readonly string[]): string[];
  /** Without the ending. */
  shown(text: string): string;
}

export function ownNames(ending: string): OwnNames {
  const secrets = new Set<string>();
  const companies = new Set<string>();
  /** The company of a workspace by its name. */
  const homes = new Map<string, string>();

  function authorization(value: string): string {
    const [, scheme = "", secret = ""] = /^(bearer )(.*)$/i.exec(value) ?? [];
    return scheme === "" ? value : scheme + own(secret);
  }
  function own(declared: string): string {
    return secrets.has(declared) ? declared + ending : declared;
  }
  function place(word: string): string {
    const [first = "", second] = word.split("/");
    if (second !== undefined) return companies.has(first) ? `${first}${ending}/${second}` : word;
    const home = homes.get(word);
    return home === undefined ? word : `${home}${ending}/${word}`;
  }
  return {
    declared(text) {
      const found = namesOf(text);
      for (const { company, workspaces } of found.companies) {
        companies.add(String(company.value));
        for (const name of workspaces) homes.set(name, String(company.value));
      }
      for (const { value } of found.secrets) secrets.add(String(value));
      return withEnding(text, [...found.companies.map(({ company }) => company), ...found.secrets], ending);
    },
    secret: own,
    authorization,
    request: (text) => text.replaceAll(/^(authorization: )(.*?)(\r?)$/gim, (_, name, value, end) => `${name}${authorization(value)}${end}`),
    words: (words) =>
      words.map((word, at) => {
        if (words[at - 1] === "--workspace") return place(word);
        return words[at - 1] === "--company" && companies.has(word) ? `${word}${ending}` : word;
      }),
    shown: (text) => text.replaceAll(ending, ""),
  };
}

interface Found {
  readonly companies: readonly { readonly company: Scalar; readonly workspaces: readonly string[] }[];
  readonly secrets: readonly Scalar[];
}

/** What is not a declaration has no names: the command that reads it says so. */
function namesOf(text: string): Found {
  const document = parseDocument(text);
  const secrets: Scalar[] = [];
  visit(document, {
    Pair(_, { key, value }) {
      if (isScalar(key) && key.value === "secret" && isScalar(value)) secrets.push(value);
    },
  });
  const list = document.get("companies");
  const companies = isSeq(list) ? list.items : [];
  return {
    secrets,
    companies: companies.flatMap((one) => {
      const company = isMap(one) ? one.get("name", true) : undefined;
      if (!isMap(one) || !isScalar(company)) return [];
      const workspaces = one.get("workspaces");
      const named = isSeq(workspaces) ? workspaces.items : [];
      return [{ company, workspaces: named.flatMap((item) => isMap(item) ? [String(item.get("name"))] : []) }];
    }),
  };
}

/** The text with `ending` behind each of the scalars, from the last to the first so that places stay. */
function withEnding(text: string, scalars: readonly Scalar[], ending: string): string {
  const places = scalars.flatMap(({ range, value }) => range ? [{ from: range[0], to: range[1], value: String(value) }] : []);
  return places.toSorted((a, b) => b.from - a.from).reduce(
    (all, { from, to, value }) => all.slice(0, from) + JSON.stringify(value + ending) + all.slice(to),
    text,
  );
}
