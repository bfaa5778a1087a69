/** A search goes on only as long as a client waits for it (reliability S24). */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { openListMemory } from "./list-memory.ts";
import { type ListQuestion, listUsers } from "./list-users.ts";
import type { ScimDeps } from "./ports.ts";
import { openRenderer } from "./render-user.ts";
import { ann, directory } from "./user.fixture.ts";

/** More users than a search could look through. */
function endless(onPage: () => void): ScimDeps & { memory: ReturnType<typeof openListMemory> } {
  const page = Array.from({ length: limits.scimScanPageUsers }, () => ann);
  return {
    memory: openListMemory(),
    pause: () => Promise.resolve(),
    users: {
      census: async () => ({ users: page.length, changes: 1 }),
      page: async () => {
        onPage();
        return page;
      },
    },
  } as unknown as ReturnType<typeof endless>;
}

test("a search whose client hangs up ends after the page that it reads", async () => {
  const client = new AbortController();
  let pages = 0;
  const deps = endless(() => {
    pages += 1;
    if (pages === 3) client.abort();
    if (pages === 9) throw new Error("too far");
  });
  const question: ListQuestion = {
    companyId: "co-1",
    filter: "displayName pr",
    startIndex: 1,
    count: 10,
    sortBy: "",
    descending: false,
    renderer: openRenderer(directory, "https://h.example"),
    project: (resource) => resource,
    names: "",
    signal: client.signal,
  };
  await expect(listUsers(deps, question)).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  expect(pages).toBe(3);
});
