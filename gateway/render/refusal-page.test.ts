/** What people read where the page of a link could not be shown or saved. */
import { expect, test } from "vitest";
import { Refusal } from "../../platform/refusal.ts";
import { preferenceRefusalPage } from "./preference-page.ts";
import { unsubscribeRefusalPage } from "./unsubscribe-page.ts";

test.each([["preference", preferenceRefusalPage], ["unsubscribe", unsubscribeRefusalPage]])(
  "the %s page whose answer came too late does not say that nothing was changed, and leads to where it can be tried again",
  (_, pageOf) => {
    for (const reason of ["DEADLINE_EXCEEDED", "OUTCOME_UNKNOWN"] as const) {
      const { status, body } = pageOf(new Refusal(reason));
      expect(status).toBe(503);
      expect(body).not.toMatch(/nothing was changed/i);
      expect(body).toContain('<a href="?">');
    }
    expect(pageOf(new Refusal("SERVICE_UNAVAILABLE")).body).toContain("Nothing was changed");
  },
);
