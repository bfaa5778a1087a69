/** Certificates for tests, made anew by openssl: an authority, and the certificates that it issues. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface Authority extends Pair {
  /** A certificate with these alternative names, as in "DNS:gateway"; `days` below 0 is one that has expired. */
  issue(names: string, options?: { days?: number }): Pair;
}

/** Throws where the machine has no openssl. */
export function openAuthority(folder: string, name: string): Authority {
  const own = { certFile: join(folder, `${name}.pem`), keyFile: join(folder, `${name}.key`) };
  openssl(["req", "-x509", ...newKey, "-keyout", own.keyFile, "-out", own.certFile, "-days", "2", "-subj", `/CN=${name}`]);
  let issued = 0;
  return {
    ...read(own),
    issue(names, { days = 1 } = {}) {
      issued += 1;
      const base = join(folder, `${name}-${issued}`);
      const files = { certFile: `${base}.pem`, keyFile: `${base}.key` };
      openssl(["req", ...newKey, "-keyout", files.keyFile, "-out", `${base}.csr`, "-subj", "/CN=part"]);
      writeFileSync(`${base}.ext`, `subjectAltName=${names}`);
      const authority = ["-CA", own.certFile, "-CAkey", own.keyFile, "-CAcreateserial"];
      openssl([
        "x509",
        "-req",
        "-in",
        `${base}.csr`,
        ...authority,
        "-days",
        String(days),
        "-extfile",
        `${base}.ext`,
        "-out",
        files.certFile,
      ]);
      return read(files);
    },
  };
}

export function certificateFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "heddle-certificates-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

function openssl(args: readonly string[]): void {
  execFileSync("openssl", args, { stdio: "ignore" });
}

function read({ certFile, keyFile }: { certFile: string; keyFile: string }): Pair {
  return { cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
}
