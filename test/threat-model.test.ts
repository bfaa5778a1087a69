/** The threat model names every threat that the service was designed against, and tests that there are. */
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "..");
const rows = readFileSync(resolve(repository, "docs/threat-model.md"), "utf8").split("\n")
  .filter((line) => /^\| (S\d+)? ?\| /.test(line))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| ?/, "").trim()));

test("every threat from S1 to S31 is there, once and in order", () => {
  const named = rows.flatMap(([number = ""]) => (number === "" ? [] : [number]));
  expect(named).toEqual(Array.from({ length: 31 }, (_, at) => `S${at + 1}`));
});

test.each(rows.map(([number, what, where = ""]) => [`${number} ${what}`, where]))(
  "%s names tests, and each of them is there",
  (_, where) => {
    const names = [...where.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(0);
    let folder = "";
    for (const name of names) {
      // A name without a folder is beside the one before it
      const path = name.includes("/") ? name : `${folder}${name}`;
      folder = path.slice(0, path.lastIndexOf("/") + 1);
      const found = globSync([path, `${path}.test.ts`], { cwd: repository }).filter((file) => file.endsWith(".ts"));
      expect([path, found.length > 0]).toEqual([path, true]);
    }
  },
);
