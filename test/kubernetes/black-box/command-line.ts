/** Stands in for test/command-line.ts before a mesh that runs already: the commands run where its settings are. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { type CommandResult, outcomeOf, type RunningCommand } from "../../command-line.ts";
import { meshCommand } from "./mesh-command.ts";
import { names } from "./this-file.ts";

/** Starts the command; a file of `-f` goes in as standard input, as a pod does not have it. */
export function startCommand(words: readonly string[], variables: Readonly<Record<string, string>> = {}): RunningCommand {
  const fileAt = words.indexOf("-f") + 1;
  const file = fileAt === 0 ? undefined : words[fileAt];
  const { program, args, env } = meshCommand(names.words(file === undefined ? words : words.with(fileAt, "-")), variables);
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], env: { ...env, NO_COLOR: "1" } });
  child.stdin.end(file === undefined ? "" : names.declared(readFileSync(file, "utf8")));
  const ended = outcomeOf(child).then(({ code, output, errors }) => ({ code, output: names.shown(output), errors: names.shown(errors) }));
  return { child, ended };
}

export async function runCommand(words: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  return await startCommand(words, variables).ended;
}

export type { CommandResult, RunningCommand };
