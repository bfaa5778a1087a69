/** Settings of the production overlay with real files where it mounts Secrets: certificates of an authority, and who is of another. */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Authority, certificateFolder, openAuthority } from "../../platform/rpc/certificates.fixture.ts";
import { type Container, environmentOf, manifestsOf, renderText } from "./manifests.ts";
import { mounted } from "./settings.ts";

export interface ProductionFiles {
  /** Of all parts and servers. */
  readonly authority: Authority;
  readonly other: Authority;
  /** The environment of a part, whose certificate has its name and those of this machine. */
  environmentOf(part: string): Record<string, string>;
  remove(): void;
}

export async function openProductionFiles(): Promise<ProductionFiles> {
  const manifests = manifestsOf(await renderText("production"));
  const folder = certificateFolder();
  const authority = openAuthority(folder.path, "authority");
  const serversFolder = join(folder.path, "servers");
  mkdirSync(serversFolder);
  for (const server of ["nats", "cassandra", "redis"]) writeFileSync(join(serversFolder, `${server}-ca.crt`), authority.cert);
  return {
    authority,
    other: openAuthority(folder.path, "other"),
    environmentOf(part) {
      const own = join(folder.path, part);
      const { cert, key } = authority.issue(`DNS:${part},${thisMachine}`);
      mkdirSync(join(own, "tls"), { recursive: true });
      cpSync(serversFolder, join(own, "servers"), { recursive: true });
      for (const [name, text] of Object.entries({ "ca.crt": authority.cert, "tls.crt": cert, "tls.key": key })) {
        writeFileSync(join(own, "tls", name), text);
      }
      const [container] = manifests.named("Deployment", part).spec.template.spec.containers as [Container];
      return Object.fromEntries(
        Object.entries(environmentOf(manifests, container)).map(([name, value]) => [name, value.replace(startOfMounted, `${own}/`)]),
      );
    },
    remove: () => folder.remove(),
  };
}

export const thisMachine = "DNS:localhost,IP:127.0.0.1";
const startOfMounted = new RegExp(`^${mounted}`);
