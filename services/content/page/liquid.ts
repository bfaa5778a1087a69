/** The Liquid of pages: conditions, assignments and the page's own values; no loops, no files, no growth. */
import { Context, Liquid, type TagToken, type Template, Tokenizer, type TopLevelToken, toValueSync } from "liquidjs";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { globalField, globalState, groupField, nameableId } from "../domain/form-choices.ts";
import { type PersonFields, standardFields, type WantedFields } from "../domain/person-fields.ts";
import { checkLiquid, checkLiquidSize, headTag, statesTag } from "./check-liquid.ts";
import { escapeAnywhere } from "../../../platform/escape-html.ts";
import { plainLiquid } from "./liquid-source.ts";
import { PageProblem } from "./page-problem.ts";

export const submitUrl = "preference_center_submit_url";
const emailAddress = "email_address";

interface PageValues {
  readonly email: string;
  readonly submitUrl: string;
  /** `email_global` and the ids of groups; a group that is not here is unsubscribed. */
  readonly states: ReadonlyMap<string, string>;
  readonly fields: PersonFields;
  /** HTML of ours for the page's head. */
  readonly head: string;
  /** HTML of ours for each of its forms. */
  readonly marks: string;
}

/** A piece of a template, in order. */
export interface Piece {
  readonly kind: "html" | "output" | "field" | "tag";
  readonly text: string;
  /** From 1, where it begins. */
  readonly line: number;
  /** Of the source in plain Liquid. */
  readonly begin: number;
  /** Of an output: its variable. Of a field: the name that it gives. */
  readonly name: string;
  /** What it puts out is one of a few words of ours: harmless wherever it stands. */
  readonly fixed: boolean;
}

export interface Parsed {
  /** In plain Liquid. */
  readonly source: string;
  readonly pieces: readonly Piece[];
  /** Groups whose state the page reads. */
  readonly groups: ReadonlySet<string>;
  /** Form field names that the page gives. */
  readonly fields: ReadonlySet<string>;
  /** Of the person's profile, that the page shows. */
  readonly wanted: WantedFields;
  readonly warnings: readonly string[];
}

export interface PageTemplate {
  /** Everything put in is escaped. Refuses STATE_CONFLICT where time or output run over. */
  render(values: PageValues): string;
}

/** Throws PageProblem for a tag or filter that pages do not have, and for one that is not closed. */
export function parsePage(html: string): Parsed {
  const source = plainLiquid(html);
  return withLines(() => {
    checkLiquidSize(source);
    const pieces = withoutComments(piecesOf(source, new Tokenizer(source).readTopLevelTokens()));
    if (pieces.length > limits.pageTagsMax) {
      throw new PageProblem(undefined, `it has more than ${limits.pageTagsMax} pieces of Liquid and text`);
    }
    checkLiquid(pieces);
    const fields = new Set(pieces.filter(({ kind }) => kind === "field").map(({ name }) => name));
    return { source, pieces, fields, ...variablesOf(engine.parse(source)) };
  });
}

/** Tags that begin a condition. */
export const opening: ReadonlySet<string> = new Set(["if", "unless", "case"]);

/** HTML of ours for a place in a template's source. */
export interface AddedHtml {
  readonly place: number;
  readonly html: string;
}

/** Stands for the head's own HTML. */
export const headHtml = `{% ${headTag} %}`;

/** Stands for what a form says of the states that the page shows. */
export const statesHtml = `{% ${statesTag} %}`;

/** What is added at one place comes in the order given. */
export function openTemplate({ source }: Pick<Parsed, "source">, added: readonly AddedHtml[]): PageTemplate {
  const inOrder = added.toSorted((a, b) => a.place - b.place);
  const parts = inOrder.map(({ place, html }, at) => html + source.slice(place, inOrder[at + 1]?.place));
  const templates = engine.parse(source.slice(0, inOrder[0]?.place) + parts.join(""));
  return {
    render: (values) => rendered(templates, values),
  };
}

const engine = openEngine();

function openEngine(): Liquid {
  const liquid = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    cache: false,
    outputEscape: escapeAnywhere,
    parseLimit: limits.pageBytesMax * 2,
    renderLimit: limits.pageRenderWallMsMax,
    memoryLimit: limits.pageRenderBytesMax,
    // No template may name a file
    templates: {},
  });
  const kept: ReadonlySet<string> = new Set(["if", "unless", "case", "assign", "comment"]);
  for (const name of Object.keys(liquid.tags)) if (!kept.has(name)) delete liquid.tags[name];
  const filters: ReadonlySet<string> = new Set(["default", "capitalize", "upcase", "downcase"]);
  for (const name of Object.keys(liquid.filters)) if (!filters.has(name)) liquid.unregisterFilter(name);
  // Everything is escaped already
  liquid.registerFilter("escape", (value: unknown) => value);
  liquid.registerTag("form_field_name", {
    parse(token) {
      this["fieldName"] = fieldNameOf(token.args, undefined);
    },
    render() {
      return this["fieldName"];
    },
  });
  for (const own of [headTag, statesTag]) liquid.registerTag(own, { render: (context) => context.getRegister<string>(own) });
  return liquid;
}

/** Made of letters, digits, dots, hyphens and underscores only, so it may stand anywhere. */
function fieldNameOf(args: string, line: number | undefined): string {
  const [kind, id, ...others] = args.trim().split(/\s+/);
  if (kind === `:${globalField}` && id === undefined) return globalField;
  if (kind === ":subscription_group" && id !== undefined && others.length === 0 && nameableId.test(id)) return groupField(id);
  throw new PageProblem(line, "form_field_name takes :email_global_state, or :subscription_group and the id of a group");
}

function piecesOf(source: string, tokens: readonly TopLevelToken[]): Piece[] {
  let line = 1;
  return tokens.map((token) => {
    const text = source.slice(token.begin, token.end);
    const piece: Piece = { text, line, begin: token.begin, ...kindOf(text, token, line), ...trimmed(token) };
    line += text.split("\n").length - 1;
    return piece;
  }).filter(({ text }) => text !== "");
}

/** HTML without the white space that `{%-` and `-%}` beside it take away. */
function trimmed(token: TopLevelToken): Partial<Piece> {
  return "getContent" in token && typeof token.trimLeft === "number"
    ? { text: token.getContent(), begin: token.begin + token.trimLeft }
    : {};
}

function kindOf(text: string, token: TopLevelToken, line: number): Pick<Piece, "kind" | "name" | "fixed"> {
  if (text.startsWith("{{")) return { kind: "output", name: /[\w-]+/.exec(text)?.[0] ?? "", fixed: fixedOutput.test(text) };
  if (!text.startsWith("{%")) return { kind: "html", name: "", fixed: true };
  const { name, args } = token as TagToken;
  return name === "form_field_name" ? { kind: "field", name: fieldNameOf(args, line), fixed: true } : { kind: "tag", name, fixed: true };
}

/** A state or the submit address as it is, without a filter that could put in something else. */
const fixedOutput =
  /^\{\{-?\s*(?:subscribed_state\s*(?:\.\s*email_global|\[\s*["'][\w.-]+["']\s*\])|preference_center_submit_url)\s*-?\}\}$/;

function withoutComments(pieces: readonly Piece[]): Piece[] {
  let inside = false;
  return pieces.filter(({ kind, name }) => {
    if (kind === "tag" && name === "comment") inside = true;
    if (kind === "tag" && name === "endcomment") inside = false;
    return !inside;
  });
}

/** What the page asks of consent and of the profile; what pages do not know is empty. */
function variablesOf(templates: Template[]): Pick<Parsed, "groups" | "wanted" | "warnings"> {
  const { globals } = engine.analyzeSync(templates, { partials: false });
  const found = { subscribed_state: new Set<string>(), profile_field: new Set<string>(), custom_attribute: new Set<string>() };
  const warnings: string[] = [];
  for (const [name, uses] of Object.entries(globals)) {
    for (const { segments, location } of uses) {
      const [, key, ...more] = segments;
      if ((name === emailAddress || name === submitUrl) && key === undefined) continue;
      if (isOneOf(found, name) && typeof key === "string" && more.length === 0 && isKey[name](key)) found[name].add(key);
      else warnings.push(`line ${location.row}: ${asWritten(name, segments)} is empty, as pages know no such variable`);
    }
  }
  found.subscribed_state.delete(globalState);
  return { groups: found.subscribed_state, wanted: { standard: found.profile_field, custom: found.custom_attribute }, warnings };
}

function isOneOf<Known extends object>(known: Known, name: string): name is keyof Known & string {
  return Object.hasOwn(known, name);
}

const isKey = {
  subscribed_state: (key: string) => nameableId.test(key),
  profile_field: (key: string) => standardFields.has(key),
  custom_attribute: (key: string) => key !== "",
} as const;

function asWritten(name: string, [, ...keys]: readonly unknown[]): string {
  return name === "profile_field" ? `"\${${keys.join(".")}}"` : `"${[name, ...keys].join(".")}"`;
}

function rendered(templates: Template[], { email, submitUrl: url, states, fields, head, marks }: PageValues): string {
  const known = Object.fromEntries(states);
  const scope = {
    [emailAddress]: email,
    [submitUrl]: url,
    subscribed_state: known,
    profile_field: Object.fromEntries(fields.standard),
    custom_attribute: Object.fromEntries(fields.custom),
  };
  const written = new BoundedText();
  try {
    const context = new Context(scope, engine.options, { sync: true }, { liquid: engine });
    context.setRegister(headTag, head);
    context.setRegister(statesTag, marks);
    toValueSync(engine.renderer.renderTemplates(templates, context, written));
  } catch (error) {
    const cause = written.full ? "is too large once it is filled in" : "takes too long to be filled in";
    throw new Refusal("STATE_CONFLICT", `The page ${cause}`, { cause: error });
  }
  return written.buffer;
}

/** What a page writes, counted as it is written. */
class BoundedText {
  buffer = "";
  full = false;
  #steps = 0;

  write(text: unknown): void {
    this.#steps += 1;
    this.buffer += String(text ?? "");
    this.full = this.buffer.length > limits.pageRenderBytesMax || this.#steps > limits.pageTagsMax * 2;
    if (this.full) throw new Error("More than a page may hold");
  }
}

/** Errors of the library as problems with their line. */
function withLines<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof PageProblem) throw error;
    const { token, originalError } = error as { token?: Pick<TopLevelToken, "getPosition">; originalError?: unknown };
    if (token === undefined) throw error;
    const [line] = token.getPosition();
    if (originalError instanceof PageProblem) throw new PageProblem(line, originalError.message);
    const text = (originalError instanceof Error ? originalError : error) as Error;
    throw new PageProblem(line, text.message.replace(/, (file|line):.*$/s, "").replace(/^tag "(.*)" not found$/s, 'unknown tag "$1"'));
  }
}
