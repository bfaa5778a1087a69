/** Adds to package-lock.json the optional packages of other platforms that npm left out; `npm ci` refuses a lock without them. */
import { readFileSync, writeFileSync } from "node:fs";

// npm drops an optional package from the lock when the registry at hand does not answer for it, whatever the platform.
const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const added = [];
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    if (lock.packages[path] || !/^\d/.test(version)) continue;
    lock.packages[path] = { version, ...platformOf(name), ...(entry.dev ? { dev: true } : {}), optional: true };
    added.push(name);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
if (added.length > 0) writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? "The lock file is whole" : `Added ${added.join(", ")}`);

function platformOf(name) {
  const words = name.slice(name.indexOf("/") + 1).split("-");
  const os = words.find((word) => ["darwin", "linux", "win32", "freebsd", "android", "openharmony", "aix"].includes(word));
  const cpus = {
    aarch64: "arm64",
    arm64: "arm64",
    x64: "x64",
    arm: "arm",
    armv7: "arm",
    ia32: "ia32",
    ppc64: "ppc64",
    riscv64: "riscv64",
    s390x: "s390x",
  };
  const cpu = words.map((word) => cpus[word]).find((known) => known !== undefined);
  const libc = words.some((word) => word.startsWith("musl"))
    ? "musl"
    : words.some((word) => ["gnu", "gnueabihf", "glibc"].includes(word))
    ? "glibc"
    : undefined;
  return { ...(cpu ? { cpu: [cpu] } : {}), ...(libc ? { libc: [libc] } : {}), ...(os ? { os: [os] } : {}) };
}
