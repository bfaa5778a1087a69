/** Calls of commands over HTTP: what went wrong in words for the person at the keyboard. */
import { RefusedError, UnreachableError } from "../client/client.ts";
import { CommandError } from "./output.ts";

/** `what` begins the sentence: "The export". */
export async function calling<Answer>(what: string, url: string, call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof UnreachableError) {
      throw new CommandError(`${new URL(url).origin} does not answer: is Heddle running there? (--url)`, { cause: error });
    }
    if (error instanceof RefusedError) throw new CommandError(`${what} was refused (${error.status}: ${error.message})`, { cause: error });
    throw error;
  }
}
