/** heddle apply on the mesh: all parts are asked before anything is written, and a secret that was made is never lost. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Refusal } from "../../platform/refusal.ts";
import { serveService } from "../../platform/rpc/part.fixture.ts";
import { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { type CommandResult, runCommand } from "../command-line.ts";
import { freePorts } from "../servers/server-process.ts";
import { fresh, heddleSuite } from "../suite.ts";

const suite = heddleSuite();
const folder = mkdtempSync(join(tmpdir(), "heddle-apply-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A workspace of its own with one key whose secret Heddle makes, and a subscription group. */
function declare(name: string, more = ""): string {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(
    file,
    `companies:
  - name: ${name}
    workspaces:
      - name: main
        apiKeys: [{ name: made, permissions: ["*"] }]
        subscriptionGroups: [{ name: news, channel: email }]
${more}`,
  );
  return file;
}

async function apply(file: string, changed: Record<string, string | undefined> = {}, words: string[] = []): Promise<CommandResult> {
  const variables = Object.entries({ ...suite.heddle.commandEnv, ...changed }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const]
  );
  return await runCommand(["apply", "-f", file, ...words], Object.fromEntries(variables));
}

async function keysOf(company: string): Promise<string> {
  const { output, errors } = await runCommand(["keys", "list", "--workspace", `${company}/main`], suite.heddle.commandEnv);
  return output + errors;
}

const away = freePorts(1).then(([port]) => `http://127.0.0.1:${port}`);
const messages = "        translations: { enabled: true, locales: [es-MX] }\n";

for (
  const [what, changed, more, text] of [
    ["no address of the part that owns the groups", { HEDDLE_SUBSCRIPTION_URL: undefined }, "", /HEDDLE_SUBSCRIPTION_URL/],
    [
      "the part that owns the groups away",
      { HEDDLE_SUBSCRIPTION_URL: "away" },
      "",
      /cannot be reached at HEDDLE_SUBSCRIPTION_URL/,
    ],
    ["no address of the part that owns translations", { HEDDLE_CONTENT_URL: undefined }, messages, /HEDDLE_CONTENT_URL/],
    [
      "the part that owns translations away",
      { HEDDLE_CONTENT_URL: "away" },
      messages,
      /cannot be reached at HEDDLE_CONTENT_URL/,
    ],
  ] as const
) {
  test(`heddle apply with ${what} writes nothing`, async () => {
    const name = fresh("co");
    const file = declare(name, more);
    const variables = await Promise.all(
      Object.entries(changed).map(async ([variable, value]) => [variable, value === "away" ? await away : value] as const),
    );
    const { code, output, errors } = await apply(file, Object.fromEntries(variables));
    expect([code, output], errors).toEqual([1, ""]);
    expect(errors).toMatch(text);
    expect(await keysOf(name)).not.toContain("made");
    const whole = await apply(file);
    expect(whole.code, whole.errors).toBe(0);
    expect(whole.output).toMatch(/Secret of the API key .*\n {2}hdl_/);
  });
}

test("heddle apply shows the secrets that it made also where a later step fails, and a repeat says how to get another", async () => {
  const name = fresh("co");
  const file = declare(name);
  const broken = await serveService(SubscriptionService, {
    listGroups: () => ({}),
    declareGroups() {
      throw new Refusal("STORE_UNAVAILABLE");
    },
  });
  try {
    const { code, output, errors } = await apply(file, { HEDDLE_SUBSCRIPTION_URL: broken.url });
    expect(code).toBe(1);
    expect(errors).toMatch(/keys and tokens are declared;.*Apply the same file again/);
    const secret = /hdl_\S+/.exec(output)?.[0] ?? "";
    const call = () => suite.request("POST", "/users/track", { attributes: [{ external_id: "a", b: 1 }] }, { key: secret });
    await expect.poll(async () => (await call()).status).toBe(201);
    const json = await apply(declare(fresh("co")), { HEDDLE_SUBSCRIPTION_URL: broken.url }, ["--json"]);
    expect([json.code, JSON.parse(json.output)]).toMatchObject([1, { secrets: [{ secret: expect.stringMatching(/^hdl_/) }] }]);
    const again = await apply(file);
    expect([again.code, again.errors]).toEqual([0, ""]);
    expect(again.output).toMatch(
      new RegExp(`shown when they were made: ${name}/main/made \\(key_\\S+\\)\\. For another: heddle keys rotate key_`),
    );
    const id = /keys rotate (\S+)/.exec(again.output)?.[1] ?? "";
    expect((await runCommand(["keys", "rotate", id], suite.heddle.commandEnv)).output).toContain("hdl_");
  } finally {
    await broken.close(0);
  }
});
