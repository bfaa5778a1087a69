/** A fault that is about one subject (a user, an address), thrown by code that knows it: where a batch fails for it, that one alone has to wait. */
import { errorText } from "./error-text.ts";

export class SubjectFault extends Error {
  readonly subject: string;

  constructor(subject: string, cause: unknown) {
    super(errorText(cause), { cause });
    this.subject = subject;
  }
}

/** Does what is about the subject alone. Throws SubjectFault. */
export function about<T>(subject: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new SubjectFault(subject, error);
  }
}
