/** What senders report over RPC, as the API shows it: bounces, spam marks, invalid numbers (api-facts 5), and what lifts each. */
import { expect, test } from "vitest";
import { PhoneMark } from "../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { connectPart, partSuite } from "../part-client.ts";
import { freshEmail, freshPhone, heddleSuite } from "../suite.ts";

const suite = heddleSuite({ env: { HEDDLE_RPC_PORT: "0" } });
const sender = partSuite(suite, "MESSAGING_STATUS", MessagingStatusService);
const today = () => new Date().toISOString().slice(0, 10);
const tomorrow = () => new Date(Date.now() + 24 * 3600 * 1000).toISOString().slice(0, 10);

test("a bounce that a sender reports is listed, by address and by date, and lifted by /email/bounce/remove alone", async () => {
  const email = freshEmail();
  await sender.client.reportBounce({ scope: sender.scope(), emails: [email.toUpperCase()] });
  const listed = async (query: string) => (await suite.get(`/email/hard_bounces?${query}`)).body["emails"] as { email: string }[];
  await expect.poll(() => listed(`email=${email}`)).toEqual([{ email, hard_bounced_at: expect.stringMatching(/^20\d\d-/) }]);
  expect((await listed(`start_date=${today()}&end_date=${tomorrow()}&limit=500`)).map((one) => one.email)).toContain(email);
  await suite.accept("/email/status", { email, subscription_state: "subscribed" });
  await suite.accept("/email/spam/remove", { email });
  expect(await listed(`email=${email}`)).toHaveLength(1);
  await suite.accept("/email/bounce/remove", { email });
  expect(await listed(`email=${email}`)).toEqual([]);
});

test("a spam mark that a sender reports stays until /email/spam/remove", async () => {
  const email = freshEmail();
  const isSpam = async () => (await sender.client.getEmailStates({ scope: sender.scope(), emails: [email] })).states[0]?.spam;
  await sender.client.reportSpam({ scope: sender.scope(), emails: [email] });
  await expect.poll(isSpam).toBe(true);
  await suite.accept("/email/bounce/remove", { email });
  expect(await isSpam()).toBe(true);
  await suite.accept("/email/spam/remove", { email });
  await expect.poll(isSpam).toBe(false);
});

test("an invalid number that a sender reports is listed with its reason, and lifted by its removal", async () => {
  const reasons = [[PhoneMark.DEACTIVATED, "deactivated"], [PhoneMark.PROVIDER_ERROR, "provider_error"]] as const;
  for (const [mark, reason] of reasons) {
    const phone = freshPhone();
    await sender.client.reportInvalidPhone({ scope: sender.scope(), phones: [phone.slice(1)], reason: mark });
    const listed = async (query: string) => (await suite.get(`/sms/invalid_phone_numbers?${query}`)).body["sms"] as { phone: string }[];
    const entry = { phone, invalid_detected_at: expect.stringMatching(/^20\d\d-/), reason };
    await expect.poll(() => listed(`phone_numbers[]=${encodeURIComponent(phone)}`)).toEqual([entry]);
    expect(await listed(`start_date=${today()}&end_date=${tomorrow()}&limit=500`)).toContainEqual(entry);
    await suite.accept("/sms/invalid_phone_numbers/remove", { phone_numbers: [phone.slice(1)] });
    expect(await listed(`phone_numbers[]=${encodeURIComponent(phone)}`)).toEqual([]);
  }
});

test("a caller whose name is not among those that may call is refused", async () => {
  const stranger = connectPart(suite, { part: "MESSAGING_STATUS", service: MessagingStatusService, caller: "stranger" });
  await expect(stranger.client.reportBounce({ scope: sender.scope(), emails: [freshEmail()] })).rejects.toMatchObject({
    reason: "CALLER_NOT_ALLOWED",
  });
  await stranger.close();
});

test("a number that was taken from the invalid ones can be reported and listed again", async () => {
  const phone = freshPhone();
  const query = `/sms/invalid_phone_numbers?phone_numbers[]=${encodeURIComponent(phone)}`;
  const listed = async () => (await suite.get(query)).body["sms"] as { phone: string }[];
  for (let round = 0; round < 2; round += 1) {
    await sender.client.reportInvalidPhone({ scope: sender.scope(), phones: [phone], reason: PhoneMark.PROVIDER_ERROR });
    await expect.poll(async () => (await listed()).length).toBe(1);
    await suite.accept("/sms/invalid_phone_numbers/remove", { phone_numbers: [phone] });
    expect(await listed()).toEqual([]);
  }
});

test("invalid numbers are listed in pages, newest first", async () => {
  const phones = [freshPhone(), freshPhone()];
  const query = phones.map((phone) => `phone_numbers[]=${encodeURIComponent(phone)}`).join("&");
  const listed = async (rest = "") =>
    ((await suite.get(`/sms/invalid_phone_numbers?${query}${rest}`)).body["sms"] as { phone: string }[]).map(({ phone }) => phone);
  for (const [at, phone] of phones.entries()) {
    await sender.client.reportInvalidPhone({ scope: sender.scope(), phones: [phone], reason: PhoneMark.DEACTIVATED });
    await expect.poll(async () => (await listed()).length).toBe(at + 1);
  }
  expect(await listed()).toEqual(phones.toReversed());
  expect(await listed("&limit=1&offset=1")).toEqual(phones.slice(0, 1));
});
