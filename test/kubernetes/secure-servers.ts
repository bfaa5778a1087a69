/** NATS, Cassandra and Redis on the cluster as production has them: they speak TLS alone, and only to users who have a password. */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { meshParts } from "../../cli/target/mesh-parts.ts";
import { secret } from "../../platform/identifier.ts";
import type { Authority } from "../../platform/rpc/certificates.fixture.ts";
import { allReady, kubectl } from "./cluster.ts";

const place = "heddle-servers";
const overlay = join(import.meta.dirname, "servers");
export const parts: readonly string[] = ["gateway", ...meshParts.keys()];
/** Who may make keyspaces and tables. */
const makers = ["migrate", "operator"];

/** By part; `operator` and `migrate` among them. */
export type Credentials = ReadonlyMap<string, Credential>;

export interface Credential {
  readonly user: string;
  readonly password: string;
}

export function newCredentials(generation: string): Credentials {
  const users = [...parts, ...makers];
  return new Map(users.map((part) => [part, { user: `${part.replaceAll("-", "_")}_${generation}`, password: secret("") }]));
}

/** Starts them anew; all of the users are known to each of them. */
export async function startSecureServers(authority: Authority, known: readonly Credentials[]): Promise<void> {
  await kubectl(["delete", "namespace", place, "--ignore-not-found"], { timeoutMs: 180_000 });
  await kubectl(["create", "namespace", place]);
  // The address of Cassandra is in its certificate
  await kubectl(["-n", place, "apply", "-f", join(overlay, "let-in.yaml")]);
  const address = await kubectl(["-n", place, "get", "service", "cassandra-cql", "-o", "jsonpath={.spec.clusterIP}"]);
  await putSecrets(authority, { address, known });
  await kubectl(["apply", "-k", overlay]);
  await kubectl(["apply", "-f", "-"], { input: JSON.stringify(cqlPod) });
  await allReady(300, place);
  await kubectl(["-n", place, "wait", "--for=condition=Ready", "pod/cql", "--timeout=60s"]);
  await cql(known.flatMap((credentials) => [...credentials].flatMap(roleOf)));
}

export async function removeSecureServers(): Promise<void> {
  await kubectl(["delete", "namespace", place, "--ignore-not-found", "--wait=false"]);
}

/** They are unknown to Cassandra and Redis from now on; Redis cuts off the clients that used them. */
export async function forgetUsers(credentials: Credentials, by: Credential): Promise<void> {
  await cql([...credentials.values()].map(({ user }) => `DROP ROLE IF EXISTS ${user}`));
  const name = credentials.get("gateway")?.user ?? "";
  const tls = ["--tls", "--cacert", "/own/ca.crt", "-p", "6380", "--user", by.user, "--pass", by.password, "--no-auth-warning"];
  await kubectl(["-n", place, "exec", "redis-0", "--", "redis-cli", ...tls, "ACL", "DELUSER", name]);
}

/** Who is connected to NATS. */
export async function natsUsers(): Promise<string[]> {
  const script = `const { connections } = await (await fetch("http://nats.${place}:8222/connz?auth=1&limit=1000")).json();
    console.log(JSON.stringify([...new Set(connections.map((one) => one.authorized_user))].sort()));`;
  return JSON.parse(await inCqlPod(script)) as string[];
}

async function putSecrets(authority: Authority, { address, known }: { address: string; known: readonly Credentials[] }): Promise<void> {
  const users = known.flatMap((credentials) => [...credentials.values()]);
  const lines = users.map(({ user, password }) => `    { user: "${user}", password: "${password}" }`);
  const [nats, redis, cassandra] = [`DNS:nats.${place}`, `DNS:redis.${place}`, `IP:${address}`].map((name) => authority.issue(name));
  await putSecret(place, "nats-server", {
    "tls.crt": nats?.cert,
    "tls.key": nats?.key,
    "users.conf": `authorization {\n  users = [\n${lines.join("\n")}\n  ]\n}\n`,
  });
  await putSecret(place, "redis-server", {
    "ca.crt": authority.cert,
    "tls.crt": redis?.cert,
    "tls.key": redis?.key,
    "users.acl": ["user default off", ...users.map(({ user, password }) => `user ${user} on >${password} ~* &* +@all`)].join("\n") + "\n",
  });
  await putSecret(place, "cassandra-server", {
    "own.pem": `${cassandra?.key}${cassandra?.cert}`,
    "ca.crt": authority.cert,
    "settings.yaml": cassandraSettings,
  });
}

const cassandraSettings = `commitlog_sync: group
commitlog_sync_group_window: 5ms
authenticator: PasswordAuthenticator
authorizer: CassandraAuthorizer
client_encryption_options:
  enabled: true
  optional: false
  ssl_context_factory:
    class_name: org.apache.cassandra.security.PEMBasedSslContextFactory
  keystore: /own/own.pem
  truststore: /own/ca.crt
`;

export async function putSecret(namespace: string, name: string, stringData: Record<string, string | undefined>): Promise<void> {
  await kubectl(["apply", "-f", "-"], {
    input: JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData }),
  });
}

function roleOf([part, { user, password }]: [string, Credential]): string[] {
  const grants = makers.includes(part) ? ["SELECT", "MODIFY", "CREATE", "ALTER"] : ["SELECT", "MODIFY"];
  return [
    `CREATE ROLE IF NOT EXISTS ${user} WITH PASSWORD = '${password}' AND LOGIN = true`,
    ...grants.map((grant) => `GRANT ${grant} ON ALL KEYSPACES TO ${user}`),
  ];
}

/** As Cassandra's first user, which it makes some seconds after it listens. */
async function cql(statements: readonly string[]): Promise<void> {
  const script = `const { openCassandra } = await import("/app/platform/cassandra/driver.ts");
    const { systemClock } = await import("/app/platform/clock.ts");
    const { readFileSync } = await import("node:fs");
    const session = openCassandra({
      contactPoints: ["cassandra-cql.${place}"],
      // A role with its password takes a busy server longer than a part would wait
      deadlineMs: 30_000,
      datacenter: "datacenter1",
      credentials: { username: "cassandra", password: "cassandra" },
      tls: { ca: readFileSync("/own/ca.crt", "utf8") },
    }, systemClock);
    for (const cql of ${JSON.stringify(statements)}) await session.execute({ cql, values: {} });
    await session.close();`;
  for (let attempt = 1;; attempt += 1) {
    try {
      await inCqlPod(script);
      return;
    } catch (error) {
      const isEarly = /credentials|Authentication|not reach|UNAVAILABLE/i.test(String(error));
      if (!isEarly || attempt === 20) throw error;
      await setTimeout(2_000);
    }
  }
}

function inCqlPod(script: string): Promise<string> {
  return kubectl(["-n", place, "exec", "-i", "cql", "--", "node", "--input-type=module", "-"], { input: script });
}

const cqlPod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "cql", namespace: place },
  spec: {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 0,
    securityContext: { runAsNonRoot: true, runAsUser: 10009, seccompProfile: { type: "RuntimeDefault" } },
    containers: [
      {
        name: "cql",
        image: "heddle:dev",
        imagePullPolicy: "IfNotPresent",
        command: ["node", "-e", "setTimeout(() => {}, 2 ** 31 - 1)"],
        securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
        volumeMounts: [{ name: "own", mountPath: "/own", readOnly: true }],
      },
    ],
    volumes: [{ name: "own", secret: { secretName: "redis-server", defaultMode: 0o444 } }],
  },
};
