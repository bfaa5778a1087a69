/** A person's page filled in: the stored HTML or the built-in one, with the states as they are. */
import { Refusal } from "../../../platform/refusal.ts";
import type { Center, PageSettings } from "../domain/center.ts";
import { type Choices, type FormFields, globalField, globalState, groupField } from "../domain/form-choices.ts";
import type { Person, States } from "../domain/page-ports.ts";
import { shownState } from "../domain/save-choices.ts";
import { builtInConfirmation, builtInPage } from "./built-in-page.ts";
import { pagePolicy } from "./page-policy.ts";
import { type CompiledPage, headOf, type Pages } from "./pages.ts";

/** Of a person at a moment. */
export interface Shown {
  readonly center: Center;
  readonly person: Person;
  readonly states: States;
  readonly settings: PageSettings;
}

export interface FilledPage {
  readonly html: string;
  readonly policy: string;
}

/** Relative, so the token that is in the page's address stays out of the HTML, whatever reads that. */
const submitUrl = "?save";

export function choicePage(pages: Pages, shown: Shown): FilledPage {
  const { center, settings } = shown;
  const stored = pages.compiled(center, "page");
  const policy = pagePolicy(settings, { options: center.content.options, redirects: false });
  return { html: stored ? fill(stored, shown) : builtIn(shown), policy };
}

/** What the page asks for. */
export function askedBy(pages: Pages, { center, person, states }: Shown): FormFields {
  const stored = pages.compiled(center, "page");
  if (stored) return stored;
  const groups = states.groups.filter(({ channel }) => channel === "email").map(({ id }) => groupField(id));
  return { fields: new Set([...groups, ...(person.email === null ? [] : [globalField])]), boxes: new Map() };
}

/** After a submission: the redirect page, else the confirmation, with the states that now hold. */
export function confirmationPage(pages: Pages, shown: Shown, saved: Choices): FilledPage {
  const { center, settings, states } = shown;
  const { options, title } = center.content;
  const now: Shown = {
    ...shown,
    states: { ...states, global: saved.global ?? states.global, memberships: new Map([...states.memberships, ...saved.groups]) },
  };
  for (const kind of ["redirect", "confirmation"] as const) {
    const html = filledIn(pages, now, kind);
    if (html !== undefined) return { html, policy: pagePolicy(settings, { options, redirects: kind === "redirect" }) };
  }
  const html = builtInConfirmation({ title, head: headOf(options) }, told(now, saved));
  return { html, policy: pagePolicy(settings, { options, redirects: false }) };
}

/** Undefined where none is stored, and where it does not work: what was saved is saved, and the person is told so. */
function filledIn(pages: Pages, now: Shown, kind: "redirect" | "confirmation"): string | undefined {
  try {
    const stored = pages.compiled(now.center, kind);
    return stored && fill(stored, now);
  } catch (error) {
    if (error instanceof Refusal && error.reason === "STATE_CONFLICT") return undefined;
    throw error;
  }
}

function fill(page: CompiledPage, { person, states }: Shown): string {
  const groups = [...page.groups].map((id) => [id, shownState(states, id)] as const);
  return page.template.render({
    email: person.email ?? "",
    submitUrl,
    states: new Map<string, string>([[globalState, states.global], ...groups]),
    head: page.head,
  });
}

function builtIn({ center, person, states }: Shown): string {
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
  });
}

function told({ states }: Shown, saved: Choices): (readonly [string, string])[] {
  const groups = [...saved.groups].map(([id, state]) =>
    [states.groups.find((group) => group.id === id)?.name ?? id, words[state]] as const
  );
  return saved.global === undefined ? groups : [...groups, ["All emails", words[saved.global]]];
}

const words = { subscribed: "Subscribed", opted_in: "Subscribed", unsubscribed: "Unsubscribed" } as const;
