/** The policy of hosted pages, also with settings that were stored before hosts were looked at. */
import { expect, test } from "vitest";
import { checkSettings } from "../domain/check-center.ts";
import { pagePolicy } from "./page-policy.ts";

const bad = ["https://a;script-src", "https://a;script-src 'unsafe-inline'/i.png", "https://*", "nonsense"];

test.each([false, true])("a stored address that is no plain host gets nothing into the policy, with scripts %s", (scriptsAllowed) => {
  const settings = { scriptsAllowed, origins: ["https://cdn.example.com", ...bad] };
  const options = { linkTags: [...bad, "https://icons.example.com/i.png"].map((href) => ({ rel: "icon", href })) };
  const policy = pagePolicy(settings, { options, redirects: false });
  expect(policy).toBe(
    "default-src 'none'; style-src 'unsafe-inline' https://cdn.example.com; " +
      "img-src data: https://cdn.example.com https://icons.example.com; font-src data: https://cdn.example.com; " +
      `script-src ${scriptsAllowed ? "'unsafe-inline' https://cdn.example.com" : "'none'"}; form-action 'self'; base-uri 'none'; ` +
      `frame-ancestors 'none'; sandbox allow-forms allow-popups allow-popups-to-escape-sandbox${scriptsAllowed ? " allow-scripts" : ""}`,
  );
});

test.each([[false, false], [true, false], [false, true], [true, true]])(
  "every page is without an origin: scripts %s, redirect page %s",
  (scriptsAllowed, redirects) => {
    const policy = pagePolicy({ scriptsAllowed, origins: [] }, { options: { linkTags: [] }, redirects });
    expect(policy).toMatch(/; sandbox allow-forms (?!.*allow-same-origin)/);
    expect(policy.includes("script-src 'none'")).toBe(!scriptsAllowed);
  },
);

test.each(bad)("the origin %s is refused when it is declared", (origin) => {
  expect(() => checkSettings({ scriptsAllowed: false, origins: [origin] })).toThrow("Expected an origin such as");
});
