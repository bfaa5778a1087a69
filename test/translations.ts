/** A workspace with languages, campaigns and canvases, and others that may not or cannot translate. */
export const getKey = "translations-get-key";
export const otherKey = "translations-other-key";
export const closedKey = "translations-closed-key";
export const offKey = "translations-off-key";

export const ids = {
  spanish: "019c0000-0000-7000-8000-0000000000a1",
  french: "019c0000-0000-7000-8000-0000000000a2",
  campaign: "019c0000-0000-7000-8000-0000000000b0",
  email: "019c0000-0000-7000-8000-0000000000b1",
  second: "019c0000-0000-7000-8000-0000000000b2",
  plain: "019c0000-0000-7000-8000-0000000000b3",
  sms: "019c0000-0000-7000-8000-0000000000b4",
  smsCampaign: "019c0000-0000-7000-8000-0000000000c0",
  onlySms: "019c0000-0000-7000-8000-0000000000c1",
  plainCampaign: "019c0000-0000-7000-8000-0000000000d0",
  onlyPlain: "019c0000-0000-7000-8000-0000000000d1",
  canvas: "019c0000-0000-7000-8000-0000000000e0",
  step: "019c0000-0000-7000-8000-0000000000e1",
  stepEmail: "019c0000-0000-7000-8000-0000000000e2",
  smsStep: "019c0000-0000-7000-8000-0000000000e3",
  stepSms: "019c0000-0000-7000-8000-0000000000e4",
  otherCanvas: "019c0000-0000-7000-8000-0000000000f0",
  otherStep: "019c0000-0000-7000-8000-0000000000f1",
  otherStepEmail: "019c0000-0000-7000-8000-0000000000f2",
  nobody: "019c0000-0000-7000-8000-00000000ffff",
} as const;

const messages = `
        campaigns:
          - id: ${ids.campaign}
            name: Welcome
            variations:
              - { id: ${ids.email}, name: A, channel: email, locales: [es-MX, fr], source: { id_0: Hello, id_1: "Your code" } }
              - { id: ${ids.second}, name: B, channel: email, locales: [es-MX], source: { id_0: Welcome } }
              - { id: ${ids.plain}, name: C, channel: email, source: { id_0: Hi } }
              - { id: ${ids.sms}, name: D, channel: sms }
          - { id: ${ids.smsCampaign}, name: Code, variations: [{ id: ${ids.onlySms}, name: A, channel: sms }] }
          - { id: ${ids.plainCampaign}, name: Plain, variations: [{ id: ${ids.onlyPlain}, name: A, channel: email }] }
        canvases:
          - id: ${ids.canvas}
            name: Journey
            steps:
              - id: ${ids.step}
                name: First
                variations: [{ id: ${ids.stepEmail}, name: A, channel: email, locales: [es-MX], source: { id_0: Step } }]
              - { id: ${ids.smsStep}, name: Second, variations: [{ id: ${ids.stepSms}, name: A, channel: sms }] }
          - id: ${ids.otherCanvas}
            name: Other
            steps: [{ id: ${ids.otherStep}, name: First, variations: [{ id: ${ids.otherStepEmail}, name: A, channel: email, locales: [fr] }] }]`;

const languages = `
          locales: [{ id: ${ids.spanish}, name: es-MX, country: Mexico, language: Spanish }, { id: ${ids.french}, name: fr }]`;

/** `all` may do everything; `key` is its secret. */
export function translationDeclaration(key: string): string {
  return `
companies:
  - name: acme
    workspaces:
      - name: demo
        apiKeys:
          - { name: all, permissions: ["*"], secret: ${key} }
          - { name: get, permissions: [campaigns.translations.get, canvas.translations.get], secret: ${getKey} }
        translations:
          enabled: true${languages}${messages}
      - name: other
        apiKeys: [{ name: other, permissions: ["*"], secret: ${otherKey} }]
        translations: { enabled: true, locales: [es-MX] }
      - name: closed
        apiKeys: [{ name: closed, permissions: ["*"], secret: ${closedKey} }]
        translations: { earlyAccess: false, enabled: true }
      - name: off
        apiKeys: [{ name: off, permissions: ["*"], secret: ${offKey} }]
`;
}
