/** What is wrong with stored HTML, and where. */
export class PageProblem extends Error {
  override readonly name = "PageProblem";
  /** From 1; undefined where it is the page as a whole. */
  readonly line: number | undefined;

  constructor(line: number | undefined, reason: string) {
    super(reason);
    this.line = line;
  }
}
