/** Stands in for test/heddle.ts when the black-box suite talks to a mesh on a cluster: each start is a declaration of its own there. */
import { execFileSync } from "node:child_process";
import { env } from "node:process";
import { type Answer, callHeddle, type CallOptions } from "../../client.ts";
import { contextArgs, namespace } from "../cluster.ts";

export const testRuntime = "node";
export const testShape = "mesh";
export const demoKey = "demo-key-of-the-tests";
export const demoDeclaration = `
companies:
  - name: acme
    onboardedAt: 2020-01-01
    workspaces:
      - name: demo
        plan: standard
        currencyRates: { EUR: 1.08 }
        apps: [{ id: app-1, name: Web }]
        apiKeys: [{ name: all, permissions: ["*"], secret: ${demoKey} }]
`;

let starts = 0;

/** Declares companies and secrets under names that nobody else has, and puts those secrets in the place of the test's. */
export function startHeddle(options: { readonly apply?: string; readonly env?: Record<string, string> } = {}): Promise<object> {
  if (Object.keys(options.env ?? {}).length > 0) {
    return Promise.reject(new Error("Settings of a mesh on a cluster cannot be changed by a test"));
  }
  const suffix = `-${Date.now().toString(36)}${process.pid.toString(36)}${starts++}`;
  const secrets = new Set<string>();
  const declaration = (options.apply ?? demoDeclaration)
    .replaceAll(/^ {2}- name: (\S+)/gm, `  - name: $1${suffix}`)
    .replaceAll(/secret: ([^\s,}]+)/g, (_, secret: string) => {
      secrets.add(secret);
      return `secret: ${secret}${suffix}`;
    });
  const target = [...contextArgs(), "-n", namespace, "exec", "-i", "deploy/gateway", "--"];
  execFileSync("kubectl", [...target, "heddle", "apply", "-f", "-"], { input: declaration, stdio: ["pipe", "ignore", "pipe"] });

  function own(secret: string): string {
    return secrets.has(secret) ? `${secret}${suffix}` : secret;
  }
  function ownHeaders(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).map((
        [name, value],
      ) => [name, value.replace(/^(Bearer )(.*)$/, (_, scheme: string, secret: string) => scheme + own(secret))]),
    );
  }
  function request(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    const { key, headers, ...rest } = { key: demoKey, ...options };
    return callHeddle(url, { method, path, body, ...rest, key: key === undefined ? undefined : own(key), headers: ownHeaders(headers) });
  }
  const url = env.HEDDLE_TEST_URL ?? "";
  const unable = () => Promise.reject(new Error("A test cannot end the processes of a mesh on a cluster"));
  return Promise.resolve({
    url,
    key: own(demoKey),
    request,
    kill: unable,
    restart: unable,
    stop: () => Promise.resolve(0),
    close: () => Promise.resolve(0),
    output: () => "",
  });
}

export function heddleCommand(): never {
  throw new Error("A test cannot run commands on the machine of a mesh on a cluster");
}

export const repository = "";
