/** What links that commands print begin with. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lockDirectory } from "../../platform/sqlite/lock.ts";
import { linkBase } from "./link-base.ts";
import { runningFile } from "./running-record.ts";

const unknown = "Where people reach the server is not known: give --url, or set HEDDLE_PAGES_URL or HEDDLE_PUBLIC_URL";
const pages = "https://mail.example.com/";
const mesh = { HEDDLE_CASSANDRA_CONTACT_POINTS: "127.0.0.1" };

interface Case {
  readonly name: string;
  readonly url?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly isServed?: false;
  readonly expected: string;
}

const cases: Case[] = [
  { name: "--url before all else", url: "http://a.example/x/", env: { HEDDLE_PAGES_URL: pages }, expected: "http://a.example/x" },
  { name: "no scheme", url: "mail.example.com", expected: '--url must be an http or https address, not "mail.example.com"' },
  {
    name: "another scheme",
    url: "ftp://mail.example.com",
    expected: '--url must be an http or https address, not "ftp://mail.example.com"',
  },
  {
    name: "the host of the pages",
    env: { HEDDLE_PAGES_URL: pages, HEDDLE_PUBLIC_URL: "https://b.example" },
    expected: "https://mail.example.com",
  },
  {
    name: "where people reach the server",
    env: { HEDDLE_PAGES_URL: "", HEDDLE_PUBLIC_URL: "https://b.example" },
    expected: "https://b.example",
  },
  {
    name: "a faulty setting",
    env: { HEDDLE_PUBLIC_URL: "b.example" },
    expected: 'HEDDLE_PUBLIC_URL must be an http or https address, not "b.example"',
  },
  { name: "the server that runs on the folder", expected: "http://127.0.0.1:4711" },
  { name: "a server that was killed", isServed: false, expected: unknown },
  { name: "a folder beside the mesh that is meant", env: mesh, expected: unknown },
];

test.each(cases)("linkBase(): $name", ({ url, env = {}, isServed = true, expected }) => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-links-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "heddle.db"), "");
  runningFile(folder).write({ pid: 1, url: "http://127.0.0.1:4711", startedAt: "2026-01-01T00:00:00.000Z" });
  const lock = isServed ? lockDirectory(folder) : undefined;
  try {
    expect(baseOf({ url, env: { HEDDLE_DATA_DIR: folder, ...env } })).toBe(expected);
  } finally {
    lock?.release();
  }
});

function baseOf({ url, env }: { readonly url: string | undefined; readonly env: NodeJS.ProcessEnv }): string {
  try {
    return linkBase({ ...(url !== undefined && { url }) }, env);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
