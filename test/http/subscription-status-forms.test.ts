/** The subscription routes: single values and lists, how many of each, and which identifiers each channel takes. */
import { expect, test } from "vitest";
import { consentDeclaration, emailGroup, groupState, smsGroup, whatsappGroup } from "../consent.ts";
import { fresh, freshEmail, freshPhone, heddleSuite } from "../suite.ts";

const heddle = heddleSuite({ apply: consentDeclaration });
const v1 = "/subscription/status/set";
const v2 = "/v2/subscription/status/set";
const get = "/subscription/status/get";
const subscribed = (subscription_group_id: string) => ({ subscription_group_id, subscription_state: "subscribed" });

async function person() {
  const one = { external_id: fresh(), email: freshEmail(), phone: freshPhone() };
  await heddle.track({ attributes: [one] });
  return one;
}

test("group status is set and read for email, SMS and WhatsApp, by external id and by address, in both versions", async () => {
  for (const [group, address] of [[emailGroup, "email"], [smsGroup, "phone"], [whatsappGroup, "phone"]] as const) {
    for (const by of ["external_id", address] as const) {
      const [one, other] = [await person(), await person()];
      await heddle.accept(v1, { ...subscribed(group), [by]: [one[by]] });
      await heddle.accept(v2, { subscription_groups: [{ ...subscribed(group), [`${by}s`]: [other[by]] }] });
      for (const { external_id, [address]: named } of [one, other]) {
        expect(await groupState(heddle, group, { external_id })).toBe("Subscribed");
        expect(await groupState(heddle, group, { [address]: named })).toBe("Subscribed");
      }
    }
  }
});

test("subscription_groups of an attributes object sets both states", async () => {
  const { external_id } = await person();
  for (const [subscription_state, shown] of [["subscribed", "Subscribed"], ["unsubscribed", "Unsubscribed"]] as const) {
    await heddle.track({ attributes: [{ external_id, subscription_groups: [{ subscription_group_id: emailGroup, subscription_state }] }] });
    expect(await groupState(heddle, emailGroup, { external_id })).toBe(shown);
  }
});

test(`POST ${v1} takes one external_id, one email and one phone as a text`, async () => {
  for (const [group, by] of [[emailGroup, "external_id"], [emailGroup, "email"], [smsGroup, "external_id"], [smsGroup, "phone"]] as const) {
    const one = await person();
    const answer = await heddle.post(v1, { ...subscribed(group), [by]: one[by] });
    expect([answer.status, answer.body]).toEqual([201, { message: "success" }]);
    expect(await groupState(heddle, group, { external_id: one.external_id })).toBe("Subscribed");
  }
});

test(`POST ${v2} takes external_ids beside phones`, async () => {
  const [one, other] = [await person(), await person()];
  await heddle.accept(v2, { subscription_groups: [{ ...subscribed(smsGroup), external_ids: [one.external_id], phones: [other.phone] }] });
  for (const { external_id } of [one, other]) expect(await groupState(heddle, smsGroup, { external_id })).toBe("Subscribed");
});

test("50 emails and 50 phones are taken by both versions, 51 are refused", async () => {
  for (const [group, by, make] of [[emailGroup, "email", freshEmail], [smsGroup, "phone", freshPhone]] as const) {
    const all = Array.from({ length: 51 }, make);
    for (const [list, status] of [[all.slice(1), 201], [all, 400]] as const) {
      expect((await heddle.post(v1, { ...subscribed(group), [by]: list })).status).toBe(status);
      expect((await heddle.post(v2, { subscription_groups: [{ ...subscribed(group), [`${by}s`]: list }] })).status).toBe(status);
    }
  }
});

test(`GET ${get} takes one email and one phone without brackets, and 50 of each, not 51`, async () => {
  const one = await person();
  for (const [group, by, make] of [[emailGroup, "email", freshEmail], [smsGroup, "phone", freshPhone]] as const) {
    await heddle.accept(v1, { ...subscribed(group), [by]: one[by] });
    const all = [one[by], ...Array.from({ length: 50 }, make)];
    const ask = (query: string) => heddle.get(`${get}?subscription_group_id=${group}&${query}`);
    expect((await ask(`${by}=${encodeURIComponent(one[by])}`)).body["status"]).toEqual({ [one[by]]: "Subscribed" });
    const queries = all.map((each) => `${by}[]=${encodeURIComponent(each)}`);
    const status = (await ask(queries.slice(0, 50).join("&"))).body["status"] as Record<string, string>;
    expect([Object.keys(status).length, status[one[by]], status[all[1] ?? ""]]).toEqual([50, "Subscribed", "Unknown"]);
    expect((await ask(queries.join("&"))).status).toBe(400);
  }
});

test(`GET ${get}: a WhatsApp group is asked by external id or phone, not by email`, async () => {
  const one = await person();
  await heddle.accept(v1, { ...subscribed(whatsappGroup), external_id: one.external_id });
  expect(await groupState(heddle, whatsappGroup, { external_id: one.external_id })).toBe("Subscribed");
  expect(await groupState(heddle, whatsappGroup, { phone: one.phone })).toBe("Subscribed");
  const byEmail = await heddle.get(`${get}?subscription_group_id=${whatsappGroup}&email=${one.email}`);
  expect([byEmail.status, byEmail.body.message]).toEqual([400, expect.stringContaining("whatsapp")]);
});

test("use_double_opt_in_logic is taken wherever groups are set", async () => {
  const [one, other, third] = [await person(), await person(), await person()];
  const set = { ...subscribed(smsGroup), use_double_opt_in_logic: true };
  await heddle.accept(v1, { ...set, external_id: one.external_id });
  await heddle.accept(v2, { subscription_groups: [{ ...set, external_ids: [other.external_id] }] });
  await heddle.track({ attributes: [{ external_id: third.external_id, subscription_groups: [set] }] });
  for (const { external_id } of [one, other, third]) expect(await groupState(heddle, smsGroup, { external_id })).toBe("Subscribed");
});

test(`POST ${v2} takes one email and one phone as a text`, async () => {
  for (const [group, by] of [[emailGroup, "email"], [smsGroup, "phone"]] as const) {
    const one = await person();
    await heddle.accept(v2, { subscription_groups: [{ ...subscribed(group), [`${by}s`]: one[by] }] });
    expect(await groupState(heddle, group, { external_id: one.external_id })).toBe("Subscribed");
  }
});

test("GET /subscription/user/status takes an email and a phone, alone and in lists", async () => {
  const [one, other] = [await person(), await person()];
  const ask = async (query: string) => (await heddle.get(`/subscription/user/status?${query}`)).body["total_count"];
  for (const by of ["external_id", "email", "phone"] as const) {
    const [first, second] = [one, other].map((each) => encodeURIComponent(each[by]));
    expect(await ask(`${by}=${first}`)).toBe(1);
    expect(await ask(`${by}[]=${first}&${by}[]=${second}`)).toBe(2);
  }
});
