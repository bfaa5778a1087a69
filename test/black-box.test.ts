/** The black-box suite before a mesh that runs already: the names it declares, and what it leaves out. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { leftFiles, leftForwarded, leftInside, leftTests, ownMesh } from "./kubernetes/black-box/left.ts";
import { meshFiles } from "../vitest.config.ts";
import { ownNames } from "./kubernetes/black-box/own-names.ts";

const folder = join(import.meta.dirname, "http");
const declaration = `
companies:
  - name: acme
    scimTokens: [{ name: okta, secret: a-token }]
    workspaces: [{ name: demo, apiKeys: [{ name: all, secret: "a-key" }] }, { name: Shop, id: shop-1 }]
  - { name: other, workspaces: [] }
`;

test("companies and secrets of a declaration get an ending, on the lines they stand on", () => {
  expect(ownNames("-x").declared(declaration)).toBe(`
companies:
  - name: "acme-x"
    scimTokens: [{ name: okta, secret: "a-token-x" }]
    workspaces: [{ name: demo, apiKeys: [{ name: all, secret: "a-key-x" }] }, { name: Shop, id: shop-1 }]
  - { name: "other-x", workspaces: [] }
`);
});

test("what is no declaration is passed on as it is", () => {
  for (const text of ["", "companies: none", "companies: [", "companies: [acme, { id: x }]"]) {
    expect(ownNames("-x").declared(text)).toBe(text);
  }
});

test("declared secrets and names get the ending where they are used, and others do not", () => {
  const names = ownNames("-x");
  names.declared(declaration);
  const headers = ["Bearer a-key", "bearer a-token", "Bearer a-key a-key", "Bearer a-ke", "Basic a-key", "a-key", ""];
  expect(headers.map(names.authorization)).toEqual(["Bearer a-key-x", "bearer a-token-x", ...headers.slice(2)]);
  expect(names.request("GET / HTTP/1.1\r\nAuthorization: Bearer a-key\r\nX: a-key\r\n\r\n")).toBe(
    "GET / HTTP/1.1\r\nAuthorization: Bearer a-key-x\r\nX: a-key\r\n\r\n",
  );
  const words = ["keys", "create", "--workspace", "acme/demo", "--workspace", "Shop", "--workspace", "none/demo", "--workspace", "none"];
  expect(names.words(words)).toEqual(words.map((word) => ({ "acme/demo": "acme-x/demo", Shop: "acme-x/Shop" })[word] ?? word));
  expect(names.words(["--company", "other", "--company", "nobody", "acme"])).toEqual([
    "--company",
    "other-x",
    "--company",
    "nobody",
    "acme",
  ]);
  expect(names.shown("created acme-x/demo")).toBe("created acme/demo");
});

test("what is left out is there, and has a reason", () => {
  const files = readdirSync(folder).map((name) => name.replace(".test.ts", ""));
  for (const [name, reason] of Object.entries({ ...leftFiles, ...leftForwarded, ...leftInside })) {
    expect(files).toContain(name);
    expect(reason).toMatch(/\w+ \w+/);
  }
  expect(ownMesh.filter((name) => !files.includes(name))).toEqual([]);
  for (const [file, tests] of Object.entries(leftTests)) {
    const text = readFileSync(join(folder, `${file}.test.ts`), "utf8");
    for (const name of Object.keys(tests)) expect(text).toContain(`test("${name}"`);
  }
});

test("a file that ends or starts processes, or reads what they print, has a mesh of its own", () => {
  const own = /heddle(\(\))?\.(kill|signal|stop|restart|restartPart|startGateway|output|ended)\(|heddle\.(mesh|dataDir|dataFolders)\b/;
  const found = readdirSync(folder).filter((name) => own.test(readFileSync(join(folder, name), "utf8"))).map((name) =>
    name.replace(".test.ts", "")
  );
  const onMesh = found.filter((name) => meshFiles.some((start) => name.startsWith(start)));
  expect(onMesh.filter((name) => !ownMesh.includes(name))).toEqual([]);
});
