/** A workspace with a campaign and a canvas, for tests. */
import type { MessageOwner, TranslationSettings, Variation } from "./translation.ts";

export const ids = {
  spanish: "019c0000-0000-7000-8000-000000000001",
  french: "019c0000-0000-7000-8000-000000000002",
  campaign: "019c0000-0000-7000-8000-000000000010",
  email: "019c0000-0000-7000-8000-000000000011",
  plain: "019c0000-0000-7000-8000-000000000012",
  sms: "019c0000-0000-7000-8000-000000000013",
  otherCampaign: "019c0000-0000-7000-8000-000000000020",
  otherEmail: "019c0000-0000-7000-8000-000000000021",
  canvas: "019c0000-0000-7000-8000-000000000030",
  step: "019c0000-0000-7000-8000-000000000031",
  stepEmail: "019c0000-0000-7000-8000-000000000032",
  smsStep: "019c0000-0000-7000-8000-000000000033",
  stepSms: "019c0000-0000-7000-8000-000000000034",
  otherCanvas: "019c0000-0000-7000-8000-000000000040",
  nobody: "019c0000-0000-7000-8000-00000000ffff",
} as const;

export const settings: TranslationSettings = {
  earlyAccess: true,
  enabled: true,
  locales: [
    { id: ids.spanish, name: "es-MX", country: "MX", language: "es" },
    { id: ids.french, name: "fr", country: "", language: "fr" },
  ],
};

function variation(id: string, name: string, of: Partial<Variation> = {}): Variation {
  return { id, name, channel: "email", localeIds: [ids.spanish], ...of };
}

export const campaign: MessageOwner = {
  kind: "campaign",
  id: ids.campaign,
  name: "Welcome",
  steps: [{
    id: "",
    name: "",
    variations: [
      variation(ids.email, "A", { localeIds: [ids.spanish, ids.french] }),
      variation(ids.plain, "B", { localeIds: [] }),
      variation(ids.sms, "C", { channel: "sms" }),
    ],
  }],
};

export const otherCampaign: MessageOwner = {
  kind: "campaign",
  id: ids.otherCampaign,
  name: "Other",
  steps: [{ id: "", name: "", variations: [variation(ids.otherEmail, "A")] }],
};

export const canvas: MessageOwner = {
  kind: "canvas",
  id: ids.canvas,
  name: "Journey",
  steps: [
    { id: ids.step, name: "First", variations: [variation(ids.stepEmail, "A")] },
    { id: ids.smsStep, name: "Second", variations: [variation(ids.stepSms, "A", { channel: "sms" })] },
  ],
};

export const otherCanvas: MessageOwner = { kind: "canvas", id: ids.otherCanvas, name: "Empty", steps: [] };
