/** Work that goes on while its owner does the next thing. */

export interface OneBehind {
  /** Nothing where one is under way. */
  begin(work: () => Promise<void>): void;
  /** Throws once what the last one threw, where it has ended so. */
  check(): void;
  /** Ends with the last one, and throws once what it threw. */
  done(): Promise<void>;
}

export function createOneBehind(onFailed: (error: unknown) => void = () => {}): OneBehind {
  let under: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  function check(): void {
    const last = failure;
    failure = undefined;
    if (last !== undefined) throw last.error;
  }
  async function run(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      failure = { error };
      onFailed(error);
    } finally {
      under = undefined;
    }
  }
  return {
    begin(work) {
      under ??= run(work);
    },
    check,
    async done() {
      await under;
      check();
    },
  };
}
