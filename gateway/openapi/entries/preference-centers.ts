/** DATA: what is written by hand about the routes of preference centers and their hosted pages. */
import { limits } from "../../../platform/limits.ts";
import { entriesOf, type Entry, type OwnEntry, type Parameter } from "./entry.ts";
import { list, object, oneOfTexts, type Schema, success, text, whole } from "../schemas/schema.ts";

const id: Parameter = { in: "path", name: "id", description: "`preference_center_api_id`, a UUID.", required: true, schema: text() };
const version: Parameter = { in: "path", name: "version", description: "From 1.", required: true, schema: whole() };
const token: Parameter = {
  in: "path",
  name: "token",
  description: "Of a link, or of the form of a page that a link opened; names person and page.",
  required: true,
  schema: text(),
};
const time = text("Such as `2022-09-22T18:28:07+00:00`.");
const warnings = list(text(), "What of the HTML will not work, load or run on the hosted page, with field and line; the write was done.");

const linkTags = list(
  object({
    rel: oneOfTexts(["icon", "shortcut icon", "apple-touch-icon"]),
    type: text(),
    sizes: text(),
    color: text(),
    href: text("An https address."),
  }, ["rel", "href"]),
);
const options = object({
  "meta-viewport-content": text("Only the content of the meta tag."),
  "links-tags": linkTags,
  "link-tags": linkTags,
});
const state = oneOfTexts(["active", "draft"]);

const content: Readonly<Record<string, Schema>> = {
  preference_center_title: text("`Preference Center` unless given."),
  preference_center_page_html: text(`At most ${limits.pageBytesMax} bytes; empty for the built-in page.`),
  confirmation_page_html: text("Empty for the built-in confirmation."),
  redirect_page_html: text("Shown after a submission in place of the confirmation. An extension."),
  options: { ...options, description: "Replaced as a whole: what is not named in it is removed. Absent, all of it stays." },
  state,
};
const shown: Readonly<Record<string, Schema>> = {
  preference_center_title: text(),
  preference_center_page_html: text(),
  confirmation_page_html: text(),
  redirect_page_html: { type: ["string", "null"] },
  preference_center_options: options,
  state,
};
const written = { version: whole(), written_at: time, written_by: text("Id of the API key."), request_id: text(), restored_from: whole() };
const required = ["preference_center_page_html", "confirmation_page_html"];
const html =
  "HTML is refused with line and reason where it would do harm (a form that leads elsewhere, an output in an address or a script, `<base>`) or " +
  "cannot be filled in. What will not work otherwise, such as a page without a form, is written and named in `warnings`.";

const exampleId = "44444444-4444-4444-8444-444444444444";
const exampleTime = "2026-11-20T10:00:00+00:00";

export const preferenceCenterEntries = entriesOf({ tag: "Pages" }, [
  {
    route: "POST /preference_center/v1",
    operationId: "createPreferenceCenter",
    summary: "Create a preference center",
    description: html,
    body: object({ name: text("Letters, digits, hyphen, underscore; never changes."), ...content }, ["name", ...required]),
    answer: success({ preference_center_api_id: text(), liquid_tag: text(), created_at: time, warnings }, [
      "preference_center_api_id",
      "liquid_tag",
      "created_at",
    ]),
    reasons: ["ALREADY_EXISTS", "STATE_CONFLICT"],
    examples: [{
      name: "with the built-in pages",
      body: { name: "Main_page", preference_center_page_html: "", confirmation_page_html: "" },
      answer: {
        preference_center_api_id: exampleId,
        liquid_tag: "{{preference_center.${Main_page}}}",
        created_at: exampleTime,
        message: "success",
      },
    }],
  },
  {
    route: "GET /preference_center/v1/list",
    operationId: "listPreferenceCenters",
    summary: "All preference centers",
    answer: object({
      preference_centers: list(object({ name: text(), preference_center_api_id: text(), created_at: time, updated_at: time })),
    }, ["preference_centers"]),
    examples: [{ name: "all" }],
  },
  {
    route: "GET /preference_center/v1/:id",
    operationId: "getPreferenceCenter",
    summary: "One preference center",
    parameters: [id],
    answer: object({ name: text(), preference_center_api_id: text(), created_at: time, updated_at: time, ...shown }, ["name"]),
    reasons: ["NOT_FOUND"],
    examples: [{
      name: "one",
      parameters: { id: exampleId },
      answer: {
        name: "Main_page",
        preference_center_api_id: exampleId,
        created_at: exampleTime,
        updated_at: exampleTime,
        preference_center_title: "Preference Center",
        preference_center_page_html: "",
        confirmation_page_html: "",
        redirect_page_html: null,
        preference_center_options: {},
        state: "active",
      },
    }],
  },
  update("PUT /preference_center/v1/:id", "updatePreferenceCenter"),
  update("POST /preference_center/v1/:id", "postPreferenceCenter"),
  {
    route: "POST /preference_center/v1/:id/preview",
    operationId: "previewPreferenceCenter",
    summary: "See a draft of a preference center",
    description: "Checks the body as an update would, and answers with its pages as a person who is made up would see them. Nothing is " +
      "written. Show the HTML in a sandboxed frame alone.",
    extension: true,
    parameters: [id],
    body: object(content, required),
    answer: success({
      page_html: text(),
      answer_html: text("What is shown after a submission: the redirect page, or else the confirmation."),
      warnings,
    }, ["page_html", "answer_html", "warnings"]),
    reasons: ["NOT_FOUND", "STATE_CONFLICT"],
    examples: [{
      name: "the built-in pages",
      parameters: { id: exampleId },
      body: { preference_center_page_html: "", confirmation_page_html: "" },
    }],
  },
  {
    route: "GET /preference_center/v1/:id/url/:userID",
    operationId: "getPreferenceCenterUrl",
    summary: "A person's own page",
    description: "The link opens for whoever has it, until it expires.",
    parameters: [id, { in: "path", name: "userID", description: "The external id, percent-encoded.", required: true, schema: text() }],
    answer: object({ preference_center_url: text() }, ["preference_center_url"]),
    reasons: ["NOT_FOUND", "STATE_CONFLICT"],
    examples: [{
      name: "of one person",
      parameters: { id: exampleId, userID: "ann" },
      answer: { preference_center_url: "http://127.0.0.1:8080/preferences/preference-token" },
    }],
  },
  {
    route: "GET /preference_center/v1/:id/versions",
    operationId: "listPreferenceCenterVersions",
    summary: "All versions, the newest first",
    extension: true,
    parameters: [
      id,
      { in: "query", name: "before", description: "Only versions before this one.", schema: whole() },
      { in: "query", name: "limit", description: `At most ${limits.preferenceVersionsPageMax}.`, schema: whole() },
    ],
    answer: success({ versions: list(object(written, ["version"])) }, ["versions"]),
    reasons: ["NOT_FOUND"],
    examples: [{ name: "all", parameters: { id: exampleId } }],
  },
  {
    route: "GET /preference_center/v1/:id/versions/:version",
    operationId: "getPreferenceCenterVersion",
    summary: "One version whole",
    extension: true,
    parameters: [id, version],
    answer: success({ ...written, ...shown }, ["version"]),
    reasons: ["NOT_FOUND"],
    examples: [{ name: "the first", parameters: { id: exampleId, version: 1 } }],
  },
  {
    route: "GET /preference_center/v1/:id/versions/:version/diff",
    operationId: "diffPreferenceCenterVersions",
    summary: "What a version changed",
    extension: true,
    parameters: [id, version, { in: "query", name: "from", description: "The version before unless given.", schema: whole() }],
    answer: success({ from: whole(), to: whole(), fields: list(object({ field: text(), unified: text() }, ["field", "unified"])) }, [
      "fields",
    ]),
    reasons: ["NOT_FOUND"],
    examples: [{
      name: "the second",
      parameters: { id: exampleId, version: 2 },
    }],
  },
  {
    route: "POST /preference_center/v1/:id/versions/:version/restore",
    operationId: "restorePreferenceCenterVersion",
    summary: "Make an earlier version the newest",
    extension: true,
    parameters: [id, version],
    body: object({}, [], { description: "Empty: `{}`." }),
    answer: success({ preference_center_api_id: text(), version: whole(), updated_at: time }, ["version"]),
    reasons: ["NOT_FOUND", "STATE_CONFLICT"],
    examples: [{
      name: "the first",
      parameters: { id: exampleId, version: 1 },
      body: {},
      answer: { preference_center_api_id: exampleId, version: 4, updated_at: exampleTime, message: "success" },
    }],
  },
  {
    route: "GET /preferences/:token",
    operationId: "openPreferencePage",
    summary: "The page that a link opens",
    description: "Changes nothing. Refusals are pages too.",
    extension: true,
    parameters: [token],
    answer: text(),
    answerType: "text/html; charset=utf-8",
    status: 200,
    reasons: ["NOT_FOUND", "STATE_CONFLICT"],
    examples: [{ name: "a link", parameters: { token: "preference-token" } }],
  },
  {
    route: "POST /preferences/:token",
    operationId: "submitPreferencePage",
    summary: "Save the choices of a page",
    description: "Answers with the confirmation or redirect page when the choices are durable. Refusals are pages too.",
    extension: true,
    parameters: [token],
    body: object({}),
    bodyType: "application/x-www-form-urlencoded",
    answer: text(),
    answerType: "text/html; charset=utf-8",
    status: 200,
    headers: ["X-Heddle-Position"],
    reasons: ["NOT_FOUND", "STATE_CONFLICT", "INPUT_INVALID", "PARTLY_DONE"],
    examples: [{
      name: "one group",
      parameters: { token: "preference-token" },
      body: "subscription_group_11111111-1111-4111-8111-111111111111=subscribed",
    }],
  },
]);

function update(route: Entry["route"], operationId: string): OwnEntry {
  return {
    route,
    operationId,
    summary: "Update a preference center",
    description: `Every version is kept. A name in the body does not rename. ${html}`,
    parameters: [id],
    body: object({ name: text(), ...content }, required),
    answer: success({ preference_center_api_id: text(), created_at: time, updated_at: time, warnings }, [
      "preference_center_api_id",
      "created_at",
      "updated_at",
    ]),
    reasons: ["NOT_FOUND", "STATE_CONFLICT"],
    examples: [{
      name: "another title",
      parameters: { id: exampleId },
      body: { preference_center_title: "Your choices", preference_center_page_html: "", confirmation_page_html: "" },
      answer: { preference_center_api_id: exampleId, created_at: exampleTime, updated_at: exampleTime, message: "success" },
    }],
  };
}
