/** The policy of hosted pages, also with settings that were stored before hosts were looked at. */
import { expect, test } from "vitest";
import { checkSettings } from "../domain/check-center.ts";
import { pagePolicy } from "./page-policy.ts";

const bad = ["https://a;script-src", "https://a;script-src 'unsafe-inline'/i.png", "https://*", "nonsense"];

test.each(["plain", "framed"] as const)("a stored address that is no plain host gets nothing into the policy of a page shown %s", (as) => {
  const settings = { scriptsAllowed: true, origins: ["https://cdn.example.com", ...bad] };
  const options = { linkTags: [...bad, "https://icons.example.com/i.png"].map((href) => ({ rel: "icon", href })) };
  const framed = as === "framed";
  expect(pagePolicy(settings, { options, as })).toBe(
    "default-src 'none'; style-src 'unsafe-inline' https://cdn.example.com; " +
      "img-src data: https://cdn.example.com https://icons.example.com; font-src data: https://cdn.example.com; " +
      `script-src ${framed ? "'unsafe-inline' https://cdn.example.com" : "'none'"}; form-action 'self'; ` +
      `base-uri ${framed ? "'self'" : "'none'"}; frame-ancestors 'none'; sandbox allow-forms allow-popups allow-popups-to-escape-sandbox` +
      (framed ? " allow-scripts allow-top-navigation-by-user-activation" : ""),
  );
});

test.each([["plain"], ["redirect"], ["framed"]] as const)(
  "every page is without an origin, and runs scripts in a frame alone: %s",
  (as) => {
    const policy = pagePolicy({ scriptsAllowed: true, origins: [] }, { options: { linkTags: [] }, as });
    expect(policy).toMatch(/; sandbox allow-forms (?!.*allow-same-origin)/);
    expect(policy.includes("script-src 'none'")).toBe(as !== "framed");
  },
);

test.each(bad)("the origin %s is refused when it is declared", (origin) => {
  expect(() => checkSettings({ scriptsAllowed: false, origins: [origin] })).toThrow("Expected an origin such as");
});
