/** A person's page filled in: the stored HTML or the built-in one, with the states as they are. */
import { escapeText } from "../../../platform/escape-html.ts";
import { findById } from "../../../platform/identifier.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Center, PageSettings } from "../domain/center.ts";
import { type Choices, fieldMark, globalField, globalState, groupField, groupOfField, stateField } from "../domain/form-choices.ts";
import type { Person, States } from "../domain/page-ports.ts";
import type { PersonFields, WantedFields } from "../domain/person-fields.ts";
import { shownState } from "../domain/save-choices.ts";
import { builtInConfirmation, builtInPage } from "./built-in-page.ts";
import { type Frame, framedHead, framedPage } from "./framed-page.ts";
import type { PageKind } from "./page-element.ts";
import { pagePolicy, type ShownAs } from "./page-policy.ts";
import { headOf } from "./page-head.ts";
import type { CompiledPage, Pages } from "./pages.ts";

/** Of a person at a moment. */
export interface Shown {
  readonly center: Center;
  readonly person: Person;
  readonly states: States;
  /** Of their profile, that the page shows. */
  readonly fields: PersonFields;
  readonly settings: PageSettings;
  /** Absent: the workspace allows no scripts. */
  readonly frame?: Frame;
}

export interface FilledPage {
  readonly html: string;
  readonly policy: string;
}

/** Relative, so the token that is in the page's address stays out of the HTML, whatever reads that. */
const submitUrl = "?save";

/** Pages with nothing compiled yet, loaded when the first is checked or shown: what reads HTML and Liquid is a sixth of what a process would load at its start. */
export async function loadPages(): Promise<Pages> {
  const { openPages } = await import("./pages.ts");
  return openPages();
}

/** What the pages of these kinds show of a profile. Refuses STATE_CONFLICT as choicePage(). */
export function wantedOf(pages: Pages, center: Center, kind: "page" | "answer"): WantedFields {
  const compiled = kind === "page" ? [pages.compiled(center, "page")] : afterwards.map((one) => compiledIfWorking(pages, center, one));
  const wanted = compiled.flatMap((page) => page?.wanted ?? []);
  return {
    standard: new Set(wanted.flatMap(({ standard }) => [...standard])),
    custom: new Set(wanted.flatMap(({ custom }) => [...custom])),
  };
}

export function choicePage(pages: Pages, shown: Shown): FilledPage {
  const stored = pages.compiled(shown.center, "page");
  return stored ? fill(stored, shown, "page") : plainPage(builtIn(shown, askedBy(pages, shown)), shown);
}

/** The fields of the form that the page asks for; of what was `sent` on the built-in page also groups that are in use no more, as it may have asked for them. */
export function askedBy(pages: Pages, { center, person, states }: Shown, sent: Iterable<string> = []): ReadonlySet<string> {
  const stored = pages.compiled(center, "page");
  if (stored) return stored.fields;
  const groups = states.groups.filter(({ channel }) => channel === "email").map(({ id }) => groupField(id));
  const gone = [...sent].filter((field) => {
    const id = groupOfField(field);
    return id !== undefined && findById(states.groups, id) === undefined;
  });
  return new Set([...groups, ...gone, ...(person.email === null ? [] : [globalField])]);
}

/** After a submission: the redirect page, else the confirmation, with the states that now hold. */
export function confirmationPage(pages: Pages, shown: Shown, saved: Choices): FilledPage {
  const { center, states } = shown;
  const { options } = center.content;
  const now: Shown = {
    ...shown,
    states: { ...states, global: saved.global ?? states.global, memberships: new Map([...states.memberships, ...saved.groups]) },
  };
  for (const kind of afterwards) {
    const page = filledIn(pages, now, kind);
    if (page !== undefined) return page;
  }
  return plainPage(builtInConfirmation({ head: headOf(options) }, choicesInWords(now, saved)), now);
}

/** Shown in place of one another, the first that there is. */
const afterwards = ["redirect", "confirmation"] as const;

/** Undefined where none is stored, and where it does not work: the choices are saved, and another page confirms that. */
function filledIn(pages: Pages, now: Shown, kind: "redirect" | "confirmation"): FilledPage | undefined {
  const stored = compiledIfWorking(pages, now.center, kind);
  return stored && ifWorking(() => fill(stored, now, kind));
}

function compiledIfWorking(pages: Pages, center: Center, kind: PageKind): CompiledPage | undefined {
  return ifWorking(() => pages.compiled(center, kind));
}

function ifWorking<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal && error.reason === "STATE_CONFLICT") return undefined;
    throw error;
  }
}

/** A redirect page leads on by itself, which no frame can; so it runs no script. */
function fill(page: CompiledPage, shown: Shown, kind: PageKind): FilledPage {
  const { center: { content: { title, options } }, person, states, fields } = shown;
  const groups = [...page.groups].map((id) => [id, shownState(states, id)] as const);
  const frame = kind === "redirect" ? undefined : shown.frame;
  const html = page.template.render({
    email: person.email ?? "",
    submitUrl,
    states: new Map<string, string>([[globalState, states.global], ...groups]),
    fields,
    head: frame ? framedHead + page.head : page.head,
    marks: stateMarks(states, page.fields),
  });
  if (frame === undefined) return { html, policy: policyOf(shown, kind === "redirect" ? "redirect" : "plain") };
  const { about } = page;
  const head = headOf({ ...options, ...(about.viewport !== undefined && { viewport: about.viewport }) });
  const framing = { ...frame, title: about.title ?? title, language: about.language ?? "", head };
  return { html: framedPage(html, framing), policy: policyOf(shown, "framed") };
}

function plainPage(html: string, shown: Shown): FilledPage {
  return { html, policy: policyOf(shown, "plain") };
}

function policyOf({ settings, center }: Shown, as: ShownAs): string {
  return pagePolicy(settings, { options: center.content.options, as });
}

function builtIn({ center, person, states }: Shown, fields: ReadonlySet<string>): string {
  const { title, options } = center.content;
  return builtInPage({
    title,
    head: headOf(options),
    email: person.email ?? "",
    groups: states.groups.filter(({ channel }) => channel === "email").map(({ id, name }) => ({
      field: groupField(id),
      name,
      subscribed: states.memberships.get(id) === "subscribed",
    })),
    unsubscribed: states.global === "unsubscribed",
    globalField,
    subscribedValue: states.global === "opted_in" ? "opted_in" : "subscribed",
    submitUrl,
    marks: stateMarks(states, fields),
  });
}

/** Hidden fields that say which states the page shows, also where they are behind: left alone, they were not chosen. */
function stateMarks(states: States, fields: ReadonlySet<string>): string {
  const marks = [...fields].map((field) => {
    const id = groupOfField(field);
    if (id !== undefined && findById(states.groups, id) === undefined) return "";
    const mark = fieldMark(field, id === undefined ? states.global : shownState(states, id));
    return `<input type="hidden" name="${stateField}" value="${escapeText(mark)}">`;
  });
  return marks.join("");
}

function choicesInWords({ states }: Shown, saved: Choices): (readonly [string, string])[] {
  const groups = [...saved.groups].map(([id, state]) =>
    [states.groups.find((group) => group.id === id)?.name ?? id, words[state]] as const
  );
  return saved.global === undefined ? groups : [...groups, ["All emails", words[saved.global]]];
}

const words = { subscribed: "Subscribed", opted_in: "Subscribed", unsubscribed: "Unsubscribed" } as const;
