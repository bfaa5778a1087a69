/** One task at a time that goes on in the background, while its owner does the next thing. */

export interface BackgroundTask {
  readonly isUnderWay: boolean;
  /** Throws where one is under way. */
  begin(work: () => Promise<void>): void;
  /** Ends with the one that was begun last, and throws once what it threw. */
  done(): Promise<void>;
}

/** `onFailed`: as soon as one has thrown, before `done` throws it. */
export function createBackgroundTask(onFailed: (error: unknown) => void): BackgroundTask {
  let under: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  async function run(work: () => Promise<void>): Promise<void> {
    failure = undefined;
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
    get isUnderWay() {
      return under !== undefined;
    },
    begin(work) {
      if (under !== undefined) throw new Error("Expected that nothing is under way");
      under = run(work);
    },
    async done() {
      await under;
      const last = failure;
      failure = undefined;
      if (last !== undefined) throw last.error;
    },
  };
}
