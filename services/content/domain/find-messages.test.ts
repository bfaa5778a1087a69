/** Which messages are meant, and each of the eight codes in its situation. */
import { expect, test } from "vitest";
import { Refusal } from "../../../platform/refusal.ts";
import { type Facts, findLocale, findMessage, findMessages, type MessageQuestion } from "./find-messages.ts";
import { campaign, canvas, ids, otherCampaign, otherCanvas, settings } from "./translation.fixture.ts";

function ofCampaign(ownerId: string, messageId = ""): MessageQuestion {
  return { kind: "campaign", ownerId, stepId: "", messageId };
}

function ofCanvas(ownerId: string, stepId = "", messageId = ""): MessageQuestion {
  return { kind: "canvas", ownerId, stepId, messageId };
}

const owners = [campaign, otherCampaign, canvas, otherCanvas];

/** What a store would find. */
function factsOf({ kind, ownerId, stepId, messageId }: MessageQuestion): Facts {
  const heldId = stepId === "" ? messageId : stepId;
  const holder = owners.find(({ steps }) =>
    heldId !== "" && steps.some((step) => step.id === heldId || step.variations.some(({ id }) => id === heldId))
  );
  return { settings, owner: owners.find((owner) => owner.kind === kind && owner.id === ownerId), holder };
}

function found(question: MessageQuestion): string[] {
  return findMessages(question, factsOf(question)).map(({ variation }) => variation.id);
}

test.each([
  ["a campaign", ofCampaign(ids.campaign), [ids.email]],
  ["a message of a campaign", ofCampaign(ids.campaign, ids.email), [ids.email]],
  ["a canvas", ofCanvas(ids.canvas), [ids.stepEmail]],
  ["a step", ofCanvas(ids.canvas, ids.step), [ids.stepEmail]],
  ["a step without its canvas", ofCanvas("", ids.step), [ids.stepEmail]],
  ["a message of a step", ofCanvas(ids.canvas, ids.step, ids.stepEmail), [ids.stepEmail]],
  ["a message of a step without its canvas", ofCanvas("", ids.step, ids.stepEmail), [ids.stepEmail]],
  ["a message of a canvas without its step", ofCanvas(ids.canvas, "", ids.stepEmail), [ids.stepEmail]],
])("findMessages() finds the email messages of %s", (_what, question, expected) => {
  expect(found(question)).toEqual(expected);
});

test.each([
  ["no campaign", ofCampaign(""), "INVALID_CAMPAIGN_ID"],
  ["a campaign that is no UUID", ofCampaign("welcome"), "INVALID_CAMPAIGN_ID"],
  ["a campaign that is not the message's", ofCampaign(ids.otherCampaign, ids.email), "INVALID_CAMPAIGN_ID"],
  ["a campaign that nobody has, with a message that there is", ofCampaign(ids.nobody, ids.email), "INVALID_CAMPAIGN_ID"],
  ["a canvas's message in a campaign", ofCampaign(ids.campaign, ids.stepEmail), "INVALID_CAMPAIGN_ID"],
  ["a campaign that nobody has", ofCampaign(ids.nobody), "MESSAGE_NOT_FOUND"],
  ["a campaign and a message that nobody has", ofCampaign(ids.nobody, ids.nobody), "MESSAGE_NOT_FOUND"],
  ["a message that the campaign does not have", ofCampaign(ids.campaign, ids.nobody), "INVALID_MESSAGE_VARIATION_ID"],
  ["a message that is no UUID", ofCampaign(ids.campaign, "a"), "INVALID_MESSAGE_VARIATION_ID"],
  ["an SMS", ofCampaign(ids.campaign, ids.sms), "UNSUPPORTED_CHANNEL"],
  ["an email without languages", ofCampaign(ids.campaign, ids.plain), "MULTI_LANGUAGE_NOT_ENABLED_ON_MESSAGE"],
  ["a workflow that is no UUID", ofCanvas("journey"), "INVALID_CAMPAIGN_ID"],
  ["a workflow that is not the step's", ofCanvas(ids.otherCanvas, ids.step), "INVALID_CAMPAIGN_ID"],
  ["a workflow that nobody has, with a step that there is", ofCanvas(ids.nobody, ids.step), "INVALID_CAMPAIGN_ID"],
  ["a workflow that nobody has", ofCanvas(ids.nobody), "MESSAGE_NOT_FOUND"],
  ["a campaign as a workflow", ofCanvas(ids.campaign), "MESSAGE_NOT_FOUND"],
  ["a canvas without steps", ofCanvas(ids.otherCanvas), "MESSAGE_NOT_FOUND"],
  ["a step that nobody has", ofCanvas(ids.canvas, ids.nobody), "MESSAGE_NOT_FOUND"],
  ["a step that is no UUID", ofCanvas("", "first"), "MESSAGE_NOT_FOUND"],
  ["a campaign's message as a step", ofCanvas("", ids.email), "MESSAGE_NOT_FOUND"],
  ["a message that the step does not have", ofCanvas(ids.canvas, ids.step, ids.email), "INVALID_MESSAGE_VARIATION_ID"],
  ["an SMS step", ofCanvas(ids.canvas, ids.smsStep), "UNSUPPORTED_CHANNEL"],
  ["neither workflow nor step", ofCanvas(""), undefined],
])("findMessages() refuses %s", (_what, question, code) => {
  expect(codeOf(() => found(question))).toBe(code);
});

test("findMessages() refuses what the workspace does not have, before anything else", () => {
  const question = ofCampaign("");
  const facts = factsOf(question);
  expect(codeOf(() => findMessages(question, { ...facts, settings: { ...settings, enabled: false } }))).toBe("MULTI_LANGUAGE_NOT_ENABLED");
  const closed = { ...facts, settings: { ...settings, earlyAccess: false } };
  expect(refusalOf(() => findMessages(question, closed)).reason).toBe("FEATURE_NOT_ENABLED");
});

test("findMessage() needs the message's id", () => {
  const question = ofCampaign(ids.campaign);
  expect(codeOf(() => findMessage(question, factsOf(question)))).toBe("INVALID_MESSAGE_VARIATION_ID");
});

test("findLocale() finds a language by id and by name, and tells unknown ones from those of other messages", () => {
  const [message] = findMessages(ofCanvas(ids.canvas), factsOf(ofCanvas(ids.canvas)));
  if (message === undefined) throw new Error("Expected a message");
  for (const text of [ids.spanish, ids.spanish.toUpperCase(), "es-MX", "es-mx", "es_mx"]) {
    expect(findLocale(settings, message, text).id).toBe(ids.spanish);
  }
  expect(codeOf(() => findLocale(settings, message, ids.nobody))).toBe("LOCALE_NOT_FOUND");
  expect(codeOf(() => findLocale(settings, message, ids.french))).toBe("INVALID_LOCALE_ID");
});

function codeOf(work: () => unknown): string | undefined {
  const { details, reason } = refusalOf(work);
  const [error] = (details.errors ?? []) as readonly { readonly code?: string }[];
  expect(reason).toBe(error?.code === "MESSAGE_NOT_FOUND" ? "NOT_FOUND" : "INPUT_INVALID");
  return error?.code;
}

function refusalOf(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  throw new Error("Expected a refusal");
}
