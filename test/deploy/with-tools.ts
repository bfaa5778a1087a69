/** Tests that need the checkers: run where they can be had, named with the reason where not, and failed where they must be. */
import { env } from "node:process";
import { describe } from "vitest";
import { provisionTool, type ToolName } from "./provision.ts";
import { errorText } from "../../platform/error-text.ts";

/** `describe` for tests with these tools. With `HEDDLE_REQUIRE_SERVERS=1` a missing one is an error and not a skip. */
export async function describeWithTools(tools: readonly ToolName[], title: string, body: () => void): Promise<void> {
  const found = await Promise.allSettled(tools.map(provisionTool));
  const reason = found.flatMap((one) => one.status === "rejected" ? [errorText(one.reason)] : []).join("; ");
  if (reason !== "" && env.HEDDLE_REQUIRE_SERVERS === "1") throw new Error(`"${title}" must run and cannot: ${reason}`);
  if (reason !== "") console.warn(`Not run: "${title}": ${reason}`);
  const suite = reason === "" ? describe : describe.skip;
  suite(reason === "" ? title : `${title} (not run: ${reason})`, body);
}
