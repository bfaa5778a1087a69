/** Pages written to cost much: each is refused, or read and filled in, within 250 ms of CPU and 4 MB, and says why where it is refused. */
import { cpuUsage } from "node:process";
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Center, CenterContent } from "../domain/center.ts";
import { noFields } from "../domain/person-fields.ts";
import { openPages } from "./pages.ts";

const closed = { scriptsAllowed: false, origins: [] };
const form =
  '<form action="{{preference_center_submit_url}}" method="post"><input name="{% form_field_name :email_global_state %}"></form>';
const cpuMsMax = 250;

const hostile: readonly (readonly [name: string, html: string, reason: RegExp])[] = [
  ["a range", "{{ (1..3900000) }}", /takes no ranges/],
  ["many ranges", filled("{{ (1..390000) }}", 30_000), /takes no ranges/],
  ["filters upon a long text", `{{ '${"x".repeat(400_000)}' ${"| upcase ".repeat(50_000)} }}`, /longer than 2000 characters/],
  ["texts that grow by filters", "{% assign a = 'x' %}".repeat(1_500), /more than 100 assign tags/],
  ["deep Liquid", "{% if true %}".repeat(900) + "{% endif %}".repeat(900), /Liquid tags are nested more than 32 deep/],
  ["long conditions", filled(`{% if ${"true or ".repeat(100)} true %}x{% endif %}`, 900_000), /longer than 65536 characters/],
  ["formatting tags that are never closed", wrong((at) => `<p><font a${at}>`, 188_000), /./],
  ["deep tags", "<div>".repeat(4_900) + "</div>".repeat(4_900), /nested more than 128 deep/],
  ["tags within a table that belong elsewhere", `<table>${"<br>".repeat(9_900)}`, /tags/],
  ["children moved by a closing tag", `<b><div>${"<br>".repeat(9_000)}</b>x</div>`, /tags that are not closed in their order/],
  ["attributes", `<p ${Array.from({ length: 200_000 }, (_, at) => `a${at.toString(36)}`).join(" ")}>`, /more than 60000 words/],
  [
    "attributes of closing tags",
    `<p></p ${Array.from({ length: 150_000 }, (_, at) => `a${at.toString(36)}`).join("/")}>`,
    /more than 60000 words/,
  ],
  ["outputs", "{{ email_address }}".repeat(50_000), /more than 2000 pieces/],
  ["outputs that never end", "{{".repeat(450_000), /longer than 2000 characters/],
];

test.each(hostile)("%s: refused when it is written, within the bound", (_, html, reason) => {
  expect(outcomeOf(() => openPages().check(content(form + html), closed))).toMatch(reason);
  expect(leastMs(() => openPages().check(content(form + html), closed))).toBeLessThan(cpuMsMax * slowness());
});

test.each(hostile)("%s: refused when it is met later, and not read again for every visit", (_, html) => {
  const pages = openPages();
  const center = stored(form + html);
  expect(outcomeOf(() => pages.compiled(center, "page"))).toContain("STATE_CONFLICT");
  expect(leastMs(() => pages.compiled(center, "page"))).toBeLessThan(5 * slowness());
});

test.each([
  ["the most tags", `<p class="a" id="b">x</p>`.repeat(4_900)],
  ["the most outputs", "{{ email_address }} ".repeat(900)],
  ["the most conditions", filled(`{% if ${"subscribed_state.a == 'subscribed' or ".repeat(20)} true %}x{% endif %}`, 64_000)],
  ["the most checkboxes", '<input type="checkbox" name="{% form_field_name :subscription_group a %}" value="subscribed">'.repeat(990)],
  [
    "many checkboxes with conditions",
    `<input type="checkbox" name="{% form_field_name :subscription_group a %}" value="subscribed" {% if true %}checked{% endif %}>`.repeat(
      320,
    ),
  ],
  ["a megabyte of references", "&amp".repeat(250_000)],
  ["a megabyte of text", "words and ".repeat(29_000)],
  ["188 KB of misnested tags", misnested(188_000)],
])("%s that a page may have: read and filled in within the bound", (_, html) => {
  const center = stored(form + html);
  const values = {
    email: `${"x'".repeat(120)}@example.com`,
    submitUrl: "?save",
    states: new Map<string, string>(),
    fields: noFields,
    head: "",
    marks: "",
  };
  expect(outcomeOf(() => openPages().check(center.content, closed))).toBe("");
  const text = openPages().compiled(center, "page")?.template.render(values) ?? "";
  expect(text.length).toBeLessThan(limits.pageRenderBytesMax);
  expect(leastMs(() => openPages().compiled(center, "page")?.template.render(values))).toBeLessThan(cpuMsMax * slowness());
});

test("what a page is given stays the page's own: heddle_head and heddle_states are no tags, and no name is assigned anew", () => {
  const names = [
    "heddle_head",
    "heddle_states",
    "email_address",
    "preference_center_submit_url",
    "subscribed_state",
    "profile_field",
    "custom_attribute",
  ];
  for (const name of names) {
    const html = `${form}\n{% assign ${name} = 'https://evil.example/' %}`;
    expect(outcomeOf(() => openPages().check(content(html), closed))).toContain(`line 2: assign may not change "${name}"`);
  }
  for (const own of ["heddle_head", "heddle_states"]) {
    expect(outcomeOf(() => openPages().check(content(`${form}\n{% ${own} %}`), closed))).toContain(`line 2: unknown tag "${own}"`);
  }
  const center = stored(`<html>[{{ heddle_head }}]${form}`);
  const values = {
    email: "",
    submitUrl: "?save",
    states: new Map<string, string>(),
    fields: noFields,
    head: "<title>ours</title>",
    marks: "",
  };
  expect(openPages().compiled(center, "page")?.template.render(values)).toMatch(/^<!doctype html><html><title>ours<\/title>\[\]<form/);
});

test("parentheses may stand in what is quoted", () => {
  expect(openPages().check(content(`${form}{{ email_address | default: '(none)' }}`), closed)).toEqual([]);
});

function content(pageHtml: string): CenterContent {
  return { title: "T", pageHtml, confirmationHtml: "", redirectHtml: null, options: { linkTags: [] }, state: "active" };
}

function stored(pageHtml: string): Center {
  return { workspaceId: "w", id: "c", name: "n", version: 1, createdAt: 0, updatedAt: 0, content: content(pageHtml) };
}

function filled(part: string, bytes: number): string {
  return part.repeat(Math.floor(bytes / part.length));
}

function wrong(part: (at: number) => string, bytes: number): string {
  return Array.from({ length: Math.min(4_900, Math.floor(bytes / part(0).length)) }, (_, at) => part(at)).join("");
}

/** Each tag begins within one that ends before it, with attributes that keep parsers from forgetting them. */
function misnested(bytes: number): string {
  const part = (at: number) => `<b title="${"x".repeat(60)}${at}"><i title="${at}"><p>x</b></i>`;
  return Array.from({ length: Math.min(1_900, Math.floor(bytes / part(0).length)) }, (_, at) => part(at)).join("");
}

function outcomeOf(work: () => unknown): string {
  try {
    work();
    return "";
  } catch (error) {
    return error instanceof Refusal ? `${error.reason}: ${error.message}` : `fault: ${String(error)}`;
  }
}

/** Of three times, as garbage of others falls into some. */
function leastMs(work: () => unknown): number {
  return Math.min(...[1, 2, 3].map(() => {
    const before = cpuUsage();
    outcomeOf(work);
    const { user, system } = cpuUsage(before);
    return (user + system) / 1_000;
  }));
}

/** How much longer this machine takes now for what takes `plainMs` on one that does nothing else; never below 1. */
function slowness(): number {
  const plainMs = 20;
  return Math.max(1, leastMs(() => filled("a b ", 4_000_000).split(" ").length) / plainMs);
}
