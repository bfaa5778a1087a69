/** Ids and tokens of the document's examples, and those that a server gave out for them: for tests that send the examples in their order. */
import type { Entry } from "../gateway/openapi/entries/entry.ts";
import { runCommand } from "./command-line.ts";
import type { Heddle } from "./heddle.ts";

/** Members whose values a server makes: of these only the type must agree. */
export const made = /(^|_)(id|at|until|url|location|version|created|lastModified|secret)$|Id$/;

export interface ExampleIds {
  /** Remembers the ids of an answer under those that the document shows. */
  note(shown: unknown, real: unknown): void;
  /** The text with the server's ids. */
  replaced(text: string): string;
  /** What no example can make: a link is made by the command line. */
  prepare(entry: Entry): Promise<void>;
}

export function openExampleIds(heddle: () => Heddle): ExampleIds {
  const given = new Map<string, string>();
  return { note, replaced, prepare };

  /** What no example can make: a link is made by the command line. */
  async function prepare({ route }: Entry): Promise<void> {
    if (route.endsWith(" /preferences/:token")) {
      const link = [...given].find(([shown]) => shown.endsWith("/preference-token"))?.[1];
      given.set("preference-token", link?.split("/").at(-1) ?? "");
    }
    if (route !== "GET /unsubscribe/:token") return;
    const { output } = await runCommand(
      [
        "consent",
        "link",
        "--email",
        "jo@example.com",
        "--url",
        "http://127.0.0.1",
        "--workspace",
        "demo",
      ],
      heddle().commandEnv,
    );
    given.set("unsubscribe-token", output.trim().split("/").at(-1) ?? "");
  }

  function replaced(text: string): string {
    return [...given].reduce((sofar, [shown, real]) => sofar.replaceAll(shown, real), text);
  }

  /** Remembers the ids of an answer under those that the document shows. */
  function note(shown: unknown, real: unknown): void {
    if (typeof shown !== "object" || shown === null || typeof real !== "object" || real === null) return;
    for (const [name, value] of Object.entries(shown)) {
      const other = (real as Record<string, unknown>)[name];
      if (typeof value === "string" && typeof other === "string" && made.test(name) && value !== other) given.set(value, other);
      else note(value, other);
    }
  }
}
