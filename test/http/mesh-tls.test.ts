/** Certificates between the parts: a whole request, from the gateway to the profile service and back. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Authority, certificateFolder, openAuthority } from "../../platform/rpc/certificates.fixture.ts";
import { callHeddle } from "../client.ts";
import { demoDeclaration, demoKey, repository } from "../heddle.ts";
import { type HeddleProcess, launchHeddle } from "../heddle-process.ts";
import { fresh } from "../suite.ts";

const folder = certificateFolder();
const settings: Record<string, string> = JSON.parse(env.HEDDLE_TEST_MESH ?? "{}");
const started: HeddleProcess[] = [];
let authority: Authority;
let profile: HeddleProcess;
beforeAll(async () => {
  authority = openAuthority(folder.path, "authority");
  profile = await launch(["profile"], { HEDDLE_PROFILE_RPC_PORT: "0", ...certificate("profile", authority) });
});
afterAll(async () => {
  for (const process of started.reverse()) {
    process.kill("SIGTERM");
    await process.ended;
  }
  folder.remove();
});

/** Settings of a part that is called `name` by `by`. */
function certificate(name: string, by: Authority): Record<string, string> {
  const texts = { ca: by.cert, ...by.issue(`IP:127.0.0.1,DNS:${name}`) };
  return Object.fromEntries(
    Object.entries(texts).map(([part, text]) => {
      const file = join(folder.path, `${fresh()}.pem`);
      writeFileSync(file, text);
      return [`HEDDLE_RPC_TLS_${part.toUpperCase()}`, file];
    }),
  );
}

async function launch(args: readonly string[], variables: Record<string, string>): Promise<HeddleProcess> {
  const small = { HEDDLE_LOG_NAME: "tls", HEDDLE_LOG_PARTITIONS: "1", HEDDLE_LOG_LANES: "8", HEDDLE_LOG_MEGABYTES: "64" };
  const program = { program: execPath, args: [join(repository, "cli/heddle.mjs"), "serve", ...args], folder: repository };
  const process = await launchHeddle({ ...program, env: { ...settings, ...small, ...variables } });
  started.push(process);
  return process;
}

async function gateway(certificates: Record<string, string>): Promise<HeddleProcess> {
  const declaration = join(folder.path, "declaration.yaml");
  writeFileSync(declaration, demoDeclaration);
  return await launch(["gateway", "--apply", declaration], {
    HEDDLE_PROFILE_URL: profile.url,
    HEDDLE_HTTP_PORT: "0",
    ...certificates,
  });
}

function track({ url }: HeddleProcess, id: string) {
  return callHeddle(url, {
    method: "POST",
    path: "/users/track",
    key: demoKey,
    body: { attributes: [{ external_id: id, first_name: "Ann" }] },
  });
}

test("a gateway that the authority vouches for writes and reads", async () => {
  expect(profile.url).toMatch(/^https:/);
  const server = await gateway(certificate("gateway", authority));
  const id = fresh();
  const wrote = await track(server, id);
  expect(wrote.status, wrote.text).toBe(201);
  const headers = { "x-heddle-position": wrote.headers.get("x-heddle-position") ?? "" };
  const read = await callHeddle(server.url, {
    method: "POST",
    path: "/users/export/ids",
    key: demoKey,
    body: { external_ids: [id] },
    headers,
  });
  expect(read.body.users).toMatchObject([{ first_name: "Ann" }]);
  expect((await callHeddle(server.url, { method: "GET", path: "/readyz" })).status).toBe(200);
});

test("a caller of another name is refused, and one of another authority or none is not heard at all", async () => {
  const stranger = await gateway(certificate("stranger", authority));
  // What is wrong here no client can mend, so it is in no document
  const body = JSON.stringify({ attributes: [{ external_id: fresh() }] });
  const headers = { authorization: `Bearer ${demoKey}`, "content-type": "application/json" };
  const answer = await fetch(`${stranger.url}/users/track`, { method: "POST", headers, body });
  expect(answer.status, await answer.text()).toBeGreaterThanOrEqual(500);
  expect(profile.output()).not.toContain("rpc_fault");
  for (const certificates of [certificate("gateway", openAuthority(folder.path, "other")), {}]) {
    const server = await gateway(certificates);
    expect((await track(server, fresh())).status).toBe(503);
    expect((await callHeddle(server.url, { method: "GET", path: "/readyz" })).status).toBe(503);
  }
});
