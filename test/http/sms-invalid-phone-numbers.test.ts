/** GET /sms/invalid_phone_numbers and its removal, as far as HTTP reaches: numbers come in by RPC. */
import { expect, test } from "vitest";
import { freshPhone, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const path = "/sms/invalid_phone_numbers";

test(`POST ${path}/remove answers 201, with and without a plus`, async () => {
  const phone = freshPhone();
  for (const phone_numbers of [[phone], [phone.slice(1)], Array.from({ length: 50 }, () => freshPhone())]) {
    const answer = await heddle.post(`${path}/remove`, { phone_numbers });
    expect([answer.status, answer.body]).toEqual([201, { message: "success" }]);
  }
});

test(`GET ${path} by dates and by numbers`, async () => {
  const query = "start_date=2026-01-01&end_date=2026-02-01";
  expect((await heddle.get(`${path}?${query}`)).body).toEqual({ sms: [], message: "success" });
  expect((await heddle.get(`${path}/?phone_numbers[]=${freshPhone()}`)).body).toEqual({ sms: [], message: "success" });
});

for (const phone_numbers of [undefined, null, [], "+12125550123", {}, [1], ["12"], Array.from({ length: 51 }, () => "+12125550123")]) {
  test(`POST ${path}/remove refuses ${JSON.stringify(phone_numbers)?.slice(0, 30)}`, async () => {
    const answer = await heddle.post(`${path}/remove`, { phone_numbers });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/\S/);
  });
}

test(`POST ${path}/remove names the entry that refuses the request, and what it takes`, async () => {
  const { body: { message, errors } } = await heddle.post(`${path}/remove`, { phone_numbers: [freshPhone(), "12"] });
  expect(message).toMatch(/^The value provided for the 'phone_numbers' field is not a valid phone number: send .* '\+12015550123'$/);
  expect(errors).toEqual([{ type: message, input_array: "phone_numbers", index: 1 }]);
});

for (const query of ["", "start_date=2026-01-01", "phone_numbers=1", "phone_numbers[]=nobody"]) {
  test(`GET ${path} refuses ${query}`, async () => {
    const answer = await heddle.get(`${path}?${query}`);
    expect(answer.status).toBe(400);
  });
}
