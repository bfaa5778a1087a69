/** SCIM tokens one by one: made, rotated, revoked, never shown again. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { parseDeclaration } from "../declaration/declaration.ts";
import { declare } from "../declare/declare.ts";
import { openAccess } from "../store/sqlite.ts";
import { createToken, revokeToken, rotateToken } from "./tokens.ts";

async function open() {
  const clock = fakeClock();
  const access = await openAccess({ database: openDatabase({ path: ":memory:" }), clock });
  await declare(
    access,
    parseDeclaration("companies: [{ name: acme, workspaces: [{ name: demo }] }, { name: other, workspaces: [{ name: hidden }] }]"),
  );
  const { companies, workspaces } = access.rows();
  const terms = {
    companyId: companies[0]?.id ?? "",
    name: "idp",
    origin: "okta",
    originHeader: "required" as const,
    defaultWorkspaceId: "",
    ipAllow: [],
  };
  return { access, clock, terms, hidden: workspaces.find(({ name }) => name === "hidden")?.id ?? "" };
}

test("createToken() makes a secret that finds it, and only the hash of which is kept", async () => {
  const { access, terms } = await open();
  const { token, secret } = await createToken(access, terms);
  expect(secret).toMatch(/^hds_/);
  expect(access.findScimToken(secret)?.token).toEqual(token);
  expect(access.findApiKey(secret)).toBeUndefined();
  expect(JSON.stringify(access.rows())).not.toContain(secret);
});

test("createToken() refuses an unknown company, another's workspace, and a name that is taken", async () => {
  const { access, terms, hidden } = await open();
  await createToken(access, terms);
  await expect(createToken(access, { ...terms, name: "b", companyId: "nowhere" })).rejects.toMatchObject({ reason: "NOT_FOUND" });
  await expect(createToken(access, { ...terms, name: "b", defaultWorkspaceId: hidden })).rejects.toMatchObject({ reason: "NOT_FOUND" });
  await expect(createToken(access, terms)).rejects.toMatchObject({ reason: "ALREADY_EXISTS" });
});

test("rotateToken() leaves the old one its time, and the new one its terms", async () => {
  const { access, clock, terms } = await open();
  const old = await createToken(access, { ...terms, ipAllow: ["10.0.0.0/8"] });
  const next = await rotateToken(access, old.token.id, 1_000);
  expect(next.token).toMatchObject({ name: "idp", origin: "okta", ipAllow: ["10.0.0.0/8"], revokedAt: null });
  expect(access.findScimToken(old.secret)).toBeDefined();
  clock.advance(1_000);
  expect(access.findScimToken(old.secret)).toBeUndefined();
  expect(access.findScimToken(next.secret)).toBeDefined();
  await expect(rotateToken(access, old.token.id)).rejects.toMatchObject({ reason: "STATE_CONFLICT" });
});

test("revokeToken() ends a token at once, as often as it is asked", async () => {
  const { access, terms } = await open();
  const { token, secret } = await createToken(access, terms);
  await revokeToken(access, token.id);
  await revokeToken(access, token.id);
  expect(access.findScimToken(secret)).toBeUndefined();
  await expect(revokeToken(access, "tok_none")).rejects.toMatchObject({ reason: "NOT_FOUND" });
});
