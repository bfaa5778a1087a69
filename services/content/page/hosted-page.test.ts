/** Pages that were stored before a bound was drawn: the page says so, and what was saved is still confirmed. */
import { expect, test } from "vitest";
import type { Center } from "../domain/center.ts";
import { choicePage, confirmationPage, type Shown } from "./hosted-page.ts";
import { openPages } from "./pages.ts";

const costly = "{{ (1..3900000) }}";
const form =
  '<form action="{{preference_center_submit_url}}" method="post"><input name="{% form_field_name :email_global_state %}"></form>';

function shown(content: Partial<Center["content"]>): Shown {
  const rest = {
    title: "T",
    pageHtml: form,
    confirmationHtml: "",
    redirectHtml: null,
    options: { linkTags: [] },
    state: "active",
  } as const;
  return {
    center: { workspaceId: "w", id: "c", name: "n", version: 1, createdAt: 0, updatedAt: 0, content: { ...rest, ...content } },
    person: { userId: "u", externalId: "ann", email: "ann@example.com" },
    states: { global: "subscribed", groups: [], memberships: new Map() },
    settings: { scriptsAllowed: false, origins: [] },
  };
}

test("a stored page beyond a bound is refused by its reason when it is opened", () => {
  expect(() => choicePage(openPages(), shown({ pageHtml: form + costly }))).toThrow(
    expect.objectContaining({ reason: "STATE_CONFLICT", message: expect.stringContaining("takes no ranges") }),
  );
});

test.each([
  ["confirmation", { confirmationHtml: costly }],
  ["redirect page", { redirectHtml: costly }],
])("a %s beyond a bound gives way to the built-in confirmation, as the choices are saved", (_, content) => {
  const page = confirmationPage(openPages(), shown(content), { global: "unsubscribed", groups: new Map() });
  expect(page.html).toContain("Your choices are saved");
  expect(page.policy).toMatch(/; sandbox allow-forms allow-popups allow-popups-to-escape-sandbox$/);
});
