/** What a failure says of itself, for logs and for what is kept beside what could not be carried out. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
