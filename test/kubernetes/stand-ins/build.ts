/** Stand-ins for the public images of NATS, Redis and Cassandra, for clusters that reach no registry: made from Debian's packages and
 *  the servers of the mesh tests. `node test/kubernetes/stand-ins/build.ts` prints the names it built. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { cassandraYaml, javaFlags, logback } from "../../servers/cassandra-files.ts";
import { provision } from "../../servers/provision.ts";

const overlay = resolve(import.meta.dirname, "../../../deploy/overlays/local");
const one = { address: "127.0.0.1", seeds: ["127.0.0.1"] };
const contexts: Record<string, (folder: string) => Promise<string>> = { nats, redis, cassandra };

for (const [name, fill] of Object.entries(contexts)) {
  const [, tag] = new RegExp(`image: (${name}:\\S+)`).exec(readFileSync(join(overlay, `${name}.yaml`), "utf8")) ?? [];
  if (tag === undefined) throw new Error(`Expected an image in ${name}.yaml`);
  const folder = mkdtempSync(join(tmpdir(), `heddle-${name}-`));
  try {
    writeFileSync(join(folder, "Dockerfile"), await fill(folder));
    execFileSync("docker", ["build", "--quiet", "--network=host", "-t", tag, folder], {
      env: { ...process.env, DOCKER_BUILDKIT: "1" },
      stdio: ["ignore", "ignore", "inherit"],
    });
    console.log(tag);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function nats(folder: string): Promise<string> {
  const { found, missing } = await provision("nats");
  if (!found) throw new Error(missing);
  cpSync(found.program, join(folder, "nats-server"));
  return `FROM debian:bookworm-slim
COPY nats-server /usr/local/bin/
`;
}

function redis(): Promise<string> {
  return Promise.resolve(`FROM debian:bookworm-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends redis-server
`);
}

async function cassandra(folder: string): Promise<string> {
  const { found, missing } = await provision("cassandra");
  if (!found?.folder) throw new Error(missing);
  cpSync(join(found.folder, "lib"), join(folder, "lib"), { recursive: true });
  cpSync(join(import.meta.dirname, "cassandra/docker-entrypoint.sh"), join(folder, "docker-entrypoint.sh"));
  const yaml = cassandraYaml({ ...one, data: "/var/lib/cassandra", port: 9042, storagePort: 7000, commitlogSync: "periodic" })
    .replace("rpc_address: 127.0.0.1", "rpc_address: 0.0.0.0\nbroadcast_rpc_address: 127.0.0.1");
  writeFileSync(join(folder, "cassandra.yaml"), yaml);
  writeFileSync(join(folder, "logback.xml"), logback);
  writeFileSync(join(folder, "java-flags"), javaFlags.join("\n"));
  return `FROM debian:bookworm-slim
RUN apt-get update -qq && mkdir -p /usr/share/man/man1 && apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless
COPY lib /opt/cassandra/lib
COPY cassandra.yaml logback.xml java-flags /etc/cassandra/
COPY docker-entrypoint.sh /usr/local/bin/
RUN mkdir -p /var/log/cassandra /var/lib/cassandra && chmod -R a+rwX /etc/cassandra
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["cassandra", "-f"]
`;
}
