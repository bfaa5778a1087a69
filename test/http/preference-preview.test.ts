/** Drafts of preference centers: seen as their pages would be, checked as a write checks them, and never written. */
import { expect, test } from "vitest";
import { fresh, heddleSuite } from "../suite.ts";

const suite = heddleSuite();
const before = { preference_center_page_html: "<p>before</p>", confirmation_page_html: "<p>Thanks</p>" };

async function newCenter(): Promise<string> {
  const { body } = await suite.accept("/preference_center/v1", { ...before, name: fresh("center"), state: "active" });
  return `/preference_center/v1/${String(body["preference_center_api_id"])}`;
}

test("a draft is shown filled in, and nothing is written", async () => {
  const path = await newCenter();
  const draft = { preference_center_page_html: "<p>Hello {{ ${email_address} }}</p>", confirmation_page_html: "<p>Bye</p>" };
  const { status, body } = await suite.post(`${path}/preview`, draft);
  expect([status, body]).toEqual([200, expect.objectContaining({ message: "success", warnings: expect.any(Array) })]);
  expect(body["page_html"]).toContain("<p>Hello person@example.com</p>");
  expect(body["answer_html"]).toContain("<p>Bye</p>");
  expect((await suite.get(path)).body).toMatchObject(before);
  expect((await suite.get(`${path}/versions`)).body["versions"]).toHaveLength(1);
});

test("an empty page is the built-in one, and a redirect page takes the place of the confirmation", async () => {
  const path = await newCenter();
  const draft = { preference_center_page_html: "", confirmation_page_html: "", redirect_page_html: "<p>Over there</p>" };
  const { body } = await suite.post(`${path}/preview`, draft);
  expect(body["page_html"]).toContain("<form");
  expect(body["answer_html"]).toContain("<p>Over there</p>");
});

test.each([
  ["what cannot be filled in", { ...before, preference_center_page_html: "<p>{{ oops</p>" }],
  ["a page that is not sent", { confirmation_page_html: "" }],
  ["a state that is none", { ...before, state: "gone" }],
])("%s is refused with the words of an update", async (_, draft) => {
  const path = await newCenter();
  const seen = await suite.post(`${path}/preview`, draft);
  const written = await suite.post(path, draft);
  expect([seen.status, seen.body.message]).toEqual([400, written.body.message]);
});

test("a preference center that is not there is not found", async () => {
  const { status } = await suite.post("/preference_center/v1/00000000-0000-4000-8000-000000000000/preview", before);
  expect(status).toBe(404);
});

test("the frame of drafts has no origin, sends no form, loads nothing, and is shown by the console alone", async () => {
  const answer = await fetch(`${suite.heddle.url}/console/preview`);
  const policy = answer.headers.get("content-security-policy") ?? "";
  for (const part of ["default-src 'none'", "form-action 'none'", "frame-ancestors 'self'", "sandbox allow-scripts"]) {
    expect(policy.split("; ")).toContain(part);
  }
  expect(policy).toMatch(/script-src 'sha256-[^ ;]+';/);
  expect(policy).not.toContain("allow-same-origin");
});
