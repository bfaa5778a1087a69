/** heddle scim-tokens and heddle scim log beside a running server. */
import { expect, test } from "vitest";
import { runCommand } from "../command-line.ts";
import { newUser, patchOp, scimSuite, tokens } from "../scim.ts";

const scim = scimSuite();

async function command(...args: string[]) {
  return await runCommand(args, scim.heddle.commandEnv);
}

/** The status that a token gets, once the server knows of its change. */
async function eventually(token: string, status: number): Promise<void> {
  await expect.poll(async () => (await scim.call("GET", "Users?count=0", undefined, { token })).status, { interval: 50 })
    .toBe(status);
}

test("heddle scim-tokens makes, lists, rotates and revokes tokens that a running server takes", async () => {
  const made = await command(
    "scim-tokens",
    "create",
    "--company",
    "acme",
    "--name",
    "new",
    "--origin",
    "okta",
    "--default-workspace",
    "Blog",
    "--permissions-optional",
    "--json",
  );
  expect(made.code, made.errors).toBe(0);
  const first = JSON.parse(made.output) as { id: string; secret: string };
  await eventually(first.secret, 200);
  const landed = await scim.create({ permissions: undefined }, { token: first.secret });
  expect(landed["permissions"]).toMatchObject({ appGroup: [{ appGroupName: "Blog" }] });
  const second = JSON.parse((await command("scim-tokens", "rotate", first.id, "--json")).output) as { id: string; secret: string };
  await eventually(second.secret, 200);
  await eventually(first.secret, 200);
  await scim.create({ permissions: undefined }, { token: second.secret });
  const strict = await command("scim-tokens", "create", "--company", "acme", "--name", "strict", "--origin", "okta", "--json");
  const third = JSON.parse(strict.output) as { secret: string };
  await eventually(third.secret, 200);
  expect((await scim.call("POST", "Users", newUser({ permissions: undefined }), { token: third.secret })).status).toBe(400);
  expect((await command("scim-tokens", "revoke", first.id)).output).toContain("is revoked");
  await eventually(first.secret, 401);
  await eventually(second.secret, 200);
  const listed = await command("scim-tokens", "list", "--company", "acme");
  expect(listed.output).toContain(second.id);
  expect(listed.output).not.toContain(second.secret);
  expect(listed.output).not.toContain("other");
});

for (
  const [what, args, code] of [
    ["without an origin", ["--company", "acme", "--name", "x"], 2],
    ["for an unknown company", ["--company", "nobody", "--name", "x", "--origin", "o"], 1],
    ["without saying which company", ["--name", "x", "--origin", "o"], 2],
    ["for a workspace of another company", ["--company", "acme", "--name", "x", "--origin", "o", "--default-workspace", "Hidden"], 1],
    ["with an address that is none", ["--company", "acme", "--name", "x", "--origin", "o", "--allow-ip", "here"], 2],
    ["under a name that is taken", ["--company", "acme", "--name", "okta", "--origin", "o"], 1],
  ] as const
) {
  test(`heddle scim-tokens create ${what} ends with ${code} and one sentence`, async () => {
    const result = await command("scim-tokens", "create", ...args);
    expect(result.code).toBe(code);
    expect(result.errors).toMatch(/\S/);
    expect(result.errors).not.toMatch(/\n\s+at /);
  });
}

interface Line {
  readonly method: string;
  readonly target: string;
  readonly outcome: string;
  readonly status?: number;
  readonly reason?: string;
  readonly userName?: string;
  readonly changes?: readonly { readonly attribute: string; readonly from?: unknown; readonly to?: unknown }[];
  readonly ignored?: readonly string[];
}

async function logged(...args: string[]): Promise<readonly Line[]> {
  const { code, output, errors } = await command("scim", "log", "--company", "acme", "--json", ...args);
  expect(code, errors).toBe(0);
  return JSON.parse(output) as Line[];
}

test("heddle scim log shows every request of a company, what it changed, and no secret", async () => {
  const { id, userName } = await scim.create({ password: "a-password-of-ann", title: "Boss" });
  await scim.patch(id, [{ op: "replace", value: { displayName: "A", active: false } }]);
  await scim.call("PUT", `Users/${id}`, newUser());
  await scim.call("GET", `Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}&access_token=a-token-in-the-url`);
  await scim.call("GET", `Users/${id}`, undefined, { origin: "elsewhere" });
  await scim.call("POST", "Users", "{");
  await scim.call("DELETE", `Users/${id}`);
  await scim.create({ permissions: {} }, { token: tokens.other });
  async function isComplete(): Promise<boolean> {
    const all = await logged("--limit", "20");
    return ["ATTRIBUTE_READ_ONLY", "ORIGIN_NOT_ALLOWED", "BODY_NOT_JSON"].every((reason) => all.some((line) => line.reason === reason));
  }
  await expect.poll(isComplete).toBe(true);
  const lines = await logged("--limit", "20");
  const mine = await logged("--user", userName);
  expect(mine.map(({ method, outcome }) => `${method} ${outcome}`)).toEqual(["POST created", "PATCH patched", "DELETE deleted"]);
  expect(await logged("--user", id)).toEqual(mine);
  expect(mine[0]?.ignored).toEqual(["password", "title"]);
  expect(mine[1]?.changes).toEqual([{ attribute: "active", from: true, to: false }, { attribute: "displayName", to: "A" }]);
  const refused = lines.filter(({ reason }) => reason !== undefined).map(({ method, status, reason }) => `${method} ${status} ${reason}`);
  expect(refused).toEqual(expect.arrayContaining(["PUT 400 ATTRIBUTE_READ_ONLY", "GET 403 ORIGIN_NOT_ALLOWED", "POST 400 BODY_NOT_JSON"]));
  expect(lines.map(({ target }) => target)).toContain(`/scim/v2/Users?filter=userName eq "${userName}"`);
  const whole = JSON.stringify(lines) + (await command("scim", "log", "--company", "acme")).output + scim.heddle.output();
  for (const secret of ["a-password-of-ann", "a-token-in-the-url", tokens.acme, tokens.other]) expect(whole).not.toContain(secret);
  await expect.poll(async () => (await command("events", "--subject", "scim.user.deleted.v1")).output).toContain(id);
});

test("heddle scim log shows nothing that a terminal would obey", async () => {
  await scim.patch("x", [{ op: "add", path: "\u001b[31mred\u202e", value: "x" }]);
  await scim.call("PATCH", "Users/x", { schemas: [patchOp], Operations: [] });
  await scim.create({ displayName: "bell" });
  await scim.call("GET", `Users?filter=${encodeURIComponent('userName eq "\u001b[31m"')}`);
  await expect.poll(async () => (await command("scim", "log", "--company", "acme", "--limit", "1")).output).toContain(
    "?[31m",
  );
});
