/** The namespace of the production overlay in the tests: what is run in its containers, and what its parts are given. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { secret } from "../../platform/identifier.ts";
import type { Authority } from "../../platform/rpc/certificates.fixture.ts";
import { contextArgs, kubectl } from "./cluster.ts";
import { type Credentials, parts, putSecret } from "./secure-servers.ts";

export const production = "heddle-production";

/** A message of `kubectl apply` names what it did not like on standard error. */
export async function applied(args: readonly string[]): Promise<{ printed: string; warned: string }> {
  return await new Promise((done, failed) => {
    const all = [...contextArgs(), "apply", ...args];
    execFile("kubectl", all, { timeout: 120_000 }, (error, printed, warned) => error ? failed(error) : done({ printed, warned }));
  });
}

/** In the namespace. */
export function inProduction(...words: readonly string[]): Promise<string> {
  return kubectl(["-n", production, ...words], { timeoutMs: 3_600_000 });
}

/** A script by the image's own Node, with the settings of the part. */
export function inPart(part: string, script: string): Promise<string> {
  return inProduction("exec", `deploy/${part}`, "--", "node", "--input-type=module", "-e", script);
}

/** As deploy/README.md has it. */
export async function startOperator(): Promise<void> {
  await inProduction("delete", "job", "operator", "--ignore-not-found");
  await inProduction("create", "job", "operator", "--from=cronjob/operator");
  await inProduction("wait", "--for=condition=Ready", "pod", "-l", "job-name=operator", "--timeout=60s");
}

export function operate(...words: readonly string[]): Promise<string> {
  return inOperator("heddle", ...words);
}

export function inOperator(...words: readonly string[]): Promise<string> {
  return inProduction("exec", "job/operator", "--", ...words);
}

/** Whom the parts believe, in PEM, and who vouches for what they show. */
export interface Certificates {
  readonly trusted: string;
  readonly authority: Authority;
}

/** As deploy/README.md has them; the certificates of all parts, and of the operator. */
export async function putCertificates({ trusted, authority }: Certificates): Promise<void> {
  for (const part of [...parts, "operator"]) {
    const { cert, key } = authority.issue(`DNS:${part}`);
    await putSecret(production, `${part}-tls`, { "ca.crt": trusted, "tls.crt": cert, "tls.key": key });
  }
}

/** Whom the servers' certificates must come from. */
export async function putServersAuthority(trusted: string): Promise<void> {
  await putSecret(production, "servers-tls", { "nats-ca.crt": trusted, "cassandra-ca.crt": trusted, "redis-ca.crt": trusted });
}

export async function putCredentials(credentials: Credentials): Promise<void> {
  for (const [part, { user, password }] of credentials) {
    await putSecret(production, `${part}-credentials`, {
      HEDDLE_CASSANDRA_USER: user,
      HEDDLE_CASSANDRA_PASSWORD: password,
      ...(part === "migrate" ? {} : { HEDDLE_NATS_USER: user, HEDDLE_NATS_PASSWORD: password }),
      ...(part === "gateway" ? { REDIS_USER: user, REDIS_PASSWORD: password } : {}),
    });
  }
}

/** Declares a workspace and gives its key. */
export async function declared(): Promise<string> {
  const key = secret("hdl_");
  const apiKeys = [{ name: "all", permissions: ["*"], secret: key }];
  const declaration = { companies: [{ name: `acme-${randomUUID()}`, workspaces: [{ name: "demo", apiKeys }] }] };
  const apply = ["-n", production, "exec", "-i", "deploy/gateway", "--", "heddle", "apply", "-f", "-"];
  await kubectl(apply, { input: JSON.stringify(declaration) });
  return key;
}

/** What an export of one user answers, asked in a gateway's container. */
export async function exported(key: string, asked: object): Promise<Record<string, unknown>[]> {
  const script = `const headers = { authorization: "Bearer ${key}", "content-type": "application/json" };
    const body = JSON.stringify(${JSON.stringify(asked)});
    const answer = await fetch("http://127.0.0.1:8080/users/export/ids", { method: "POST", headers, body });
    console.log(JSON.stringify((await answer.json()).users));`;
  return JSON.parse(await inPart("gateway", script)) as Record<string, unknown>[];
}

/** A write and a read that waits for it, in a gateway's container: the statuses, and the name that was read. */
export async function writtenAndRead(key: string, externalId = "ann"): Promise<unknown> {
  const script = `const headers = { authorization: "Bearer ${key}", "content-type": "application/json" };
    const post = (path, body, more) =>
      fetch("http://127.0.0.1:8080" + path, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
    const written = await post("/users/track", { attributes: [{ external_id: "${externalId}", first_name: "Ann" }] });
    const after = { "x-heddle-position": written.headers.get("x-heddle-position") };
    const read = await post("/users/export/ids", { external_ids: ["${externalId}"], fields_to_export: ["first_name"] }, after);
    console.log(JSON.stringify([written.status, read.status, (await read.json()).users?.[0]?.first_name]));`;
  return JSON.parse(await inPart("gateway", script)) as unknown;
}
