/** What a failure says of itself: for people, in logs, answers of commands and beside what could not be carried out. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
