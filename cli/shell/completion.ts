/** heddle completion: what bash, zsh or fish need to complete commands and options, made of the commands themselves. */
import type { Command } from "commander";
import type { Shell } from "./option-values.ts";
import { exitCodes, print } from "./output.ts";

/** A place on the command line: the commands so far, and what may follow. */
interface Place {
  readonly path: string;
  readonly next: readonly Word[];
}

interface Word {
  readonly name: string;
  readonly description: string;
  readonly isCommand: boolean;
}

export function completion(shell: Shell, program: Command): number {
  const places = placesOf(program, "");
  print({ bash, zsh, fish }[shell](places).trim());
  return exitCodes.ok;
}

function placesOf(command: Command, path: string): Place[] {
  const below = command.commands.filter((one) => one.name() !== "help");
  const options = command.options.filter(({ long }) => long !== undefined && long !== null);
  const next = [
    ...below.map((one) => ({ name: one.name(), description: one.description(), isCommand: true })),
    ...options.map(({ long, description }) => ({ name: long ?? "", description, isCommand: false })),
    { name: "--help", description: "display help for command", isCommand: false },
  ];
  return [{ path, next }, ...below.flatMap((one) => placesOf(one, path === "" ? one.name() : `${path} ${one.name()}`))];
}

/** All paths but the first, which is that of `heddle` alone. */
function commandPaths(places: readonly Place[]): string {
  return places.slice(1).map(({ path }) => `"${path}"`).join("|");
}

function bash(places: readonly Place[]): string {
  const cases = places.map(({ path, next }) => `    "${path}") words="${next.map(({ name }) => name).join(" ")}" ;;`);
  return `
_heddle() {
  local word words path=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${commandPaths(places)}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _heddle heddle
`;
}

function zsh(places: readonly Place[]): string {
  const cases = places.map(({ path, next }) =>
    `    "${path}") next=(${next.map((word) => quoted(`${escaped(word.name)}:${word.description}`)).join(" ")}) ;;`
  );
  return `
#compdef heddle
_heddle() {
  local word at=""
  local -a next
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
      ${commandPaths(places)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.join("\n")}
  esac
  _describe -V heddle next || _files
}
compdef _heddle heddle
`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, next }) =>
    next.map(({ name, description, isCommand }) => {
      const word = isCommand ? `-f -a ${name}` : `-l ${name.slice(2)}`;
      return `complete -c heddle -n 'test "$(__heddle_at)" = "${path}"' ${word} -d ${quoted(description)}`;
    })
  );
  return `
function __heddle_at
  set -l at ""
  for word in (commandline -opc)[2..]
    switch (string trim "$at $word")
      case ${places.slice(1).map(({ path }) => `"${path}"`).join(" ")}
        set at (string trim "$at $word")
    end
  end
  echo $at
end
${lines.join("\n")}
`;
}

/** For a shell, in single quotes; fish and the others agree on this form of a quote inside. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "’")}'`;
}

/** A colon parts zsh's names from their descriptions. */
function escaped(name: string): string {
  return name.replaceAll(":", "\\:");
}
