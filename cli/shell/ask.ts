/** A question to the person at the terminal, before what cannot be taken back. */
import { createInterface } from "node:readline/promises";

/** Asked on standard error, so that what is printed can be piped. Anything but "yes" is no, also to leave with Ctrl-C or Ctrl-D. */
export async function isWanted(question: string): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await asking.question(`${question} Type yes: `)).trim() === "yes";
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return false;
    throw error;
  } finally {
    asking.close();
  }
}
