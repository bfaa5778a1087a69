/** Before each test: those of left.ts are skipped, with their reason. */
import { basename } from "node:path";
import { beforeEach } from "vitest";
import { leftTests } from "./left.ts";

beforeEach(({ task, skip }) => {
  const reason = leftTests[basename(task.file.filepath, ".test.ts")]?.[task.name];
  if (reason !== undefined) skip(reason);
});
