/** What shells offer, asked of the shells themselves; zsh and fish where the machine has them. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "heddle-completion-"));
const program = resolve(import.meta.dirname, "../heddle.mjs");

beforeAll(() => {
  for (const shell of ["bash", "zsh", "fish"]) writeFileSync(join(folder, shell), heddle("completion", shell));
});

afterAll(() => rmSync(folder, { recursive: true }));

function heddle(...args: string[]): string {
  return execFileSync(process.execPath, [program, ...args], { encoding: "utf8" });
}

/** `words` are the command line, the last of them begun. */
const offers: readonly { name: string; words: readonly string[]; offered: readonly string[] }[] = [
  { name: "commands", words: ["heddle", "ke"], offered: ["keys"] },
  { name: "commands below a command", words: ["heddle", "keys", ""], offered: ["create", "list", "revoke", "rotate"] },
  { name: "options", words: ["heddle", "import", "file.csv", "--ke"], offered: ["--key", "--key-file"] },
  {
    name: "options behind the value of another",
    words: ["heddle", "keys", "create", "--name", "list", "--perm"],
    offered: ["--permissions"],
  },
];

for (const { name, words, offered } of offers) {
  test(`bash completes ${name}`, () => {
    const list = words.map((word) => `'${word}'`).join(" ");
    const script = `source '${join(folder, "bash")}'; COMP_WORDS=(${list}); COMP_CWORD=${
      words.length - 1
    }; _heddle; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const found = execFileSync("bash", ["-c", script], { encoding: "utf8" }).split("\n").filter((word) => !["", "--help"].includes(word));
    expect(found.sort()).toEqual([...offered].sort());
  });

  test.skipIf(isAbsent("fish"))(`fish completes ${name}`, () => {
    const script = `source '${join(folder, "fish")}'; complete -C '${words.join(" ")}'`;
    const found = execFileSync("fish", ["--no-config", "-c", script], { encoding: "utf8" }).split("\n").map((line) =>
      line.split("\t")[0] ?? ""
    );
    const ours = found.filter((word) => word !== "" && word !== "--help");
    expect(ours.sort()).toEqual([...offered].sort());
  });
}

test.skipIf(isAbsent("zsh"))("zsh reads its file", () => {
  expect(spawnSync("zsh", ["-n", join(folder, "zsh")], { encoding: "utf8" }).stderr).toBe("");
});

test("another shell is refused, and those that there are are named", () => {
  const { status, stderr } = spawnSync(process.execPath, [program, "completion", "tcsh"], { encoding: "utf8" });
  expect([status, stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish")]);
});

function isAbsent(shell: string): boolean {
  return spawnSync(shell, ["--version"]).error !== undefined;
}
