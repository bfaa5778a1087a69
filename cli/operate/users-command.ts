/** The commands of heddle users: their options and help. */
import type { Command } from "commander";
import { addServerOptions, jsonHelp } from "../shell/option-values.ts";

export function addUsers(program: Command, done: (code: number) => void): void {
  const users = program.command("users").description("users who have too much for one person: who is rejected, and back in");
  function command(words: string, description: string): Command {
    return addServerOptions(users.command(words).description(description), "console.operate").option("--json", jsonHelp);
  }
  command("rejected", "users of whom /users/track takes no more, and why")
    .action(async (options) => done(await (await import("./users.ts")).rejected({ ...options, env: process.env })));
  command("admit", "let a rejected user back in: it may have twice of what it has then")
    .option("--external-id <id>", "the user")
    .option("--platform-id <id>", "the same, by the id that Heddle gave")
    .option("--alias <part...>", "the same, by label and name")
    .addHelpText("after", "\nExamples:\n  heddle users rejected\n  heddle users admit --external-id load-test\n")
    .action(async (options) => done(await (await import("./users.ts")).admit({ ...options, env: process.env })));
}
