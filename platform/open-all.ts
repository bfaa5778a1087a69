/** Things that are opened one after the other, and closed in the opposite order. */

/** How each is closed, in the order in which they were opened. */
export type Opened = (() => Promise<unknown> | unknown)[];

/**
 * What `open` gives, and a `close()` for everything in `opened`, the last first: for what was put there since, too. Where `open`
 * fails, what it had opened is closed, and the error goes on.
 */
export async function openAll<T extends object>(open: (opened: Opened) => Promise<T>): Promise<T & { close(): Promise<void> }> {
  const opened: Opened = [];
  async function close(): Promise<void> {
    await closeAll(opened.splice(0));
  }
  try {
    return { ...await open(opened), close };
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

/** Also those below one that cannot be closed. */
async function closeAll(opened: Opened): Promise<void> {
  const closeLast = opened.pop();
  if (closeLast === undefined) return;
  try {
    await closeLast();
  } finally {
    await closeAll(opened);
  }
}
