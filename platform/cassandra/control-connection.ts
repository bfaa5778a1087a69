/**
 * The driver's connection for the topology, which connects anew on its own. It may be asked to while it does: each time it fetches the
 * contact points again it listens to the same node twice, and both listeners ask. Then two write its host and connection under each other,
 * and the error of the slower one, which is not caught, ends the process (NODEJS-681, open as of 4.10.0).
 */
export interface ControlConnection {
  /** Null while it has none. */
  connection: object | null;
  /** With hosts: goes on with those that are left. A try that fails sets a timer for the next one. */
  _refresh(hosts?: unknown): Promise<void>;
}

/** From now on it connects anew one at a time, and once more where that was asked for meanwhile of a connection that it then got. */
export function refreshOneAtATime(control: ControlConnection): void {
  const refresh = control._refresh.bind(control);
  let running: Promise<void> | undefined;
  let isAsked = false;

  async function run(): Promise<void> {
    do {
      isAsked = false;
      await refresh();
    } while (isAsked && control.connection !== null);
  }
  control._refresh = (hosts) => {
    if (hosts !== undefined) return refresh(hosts);
    isAsked = true;
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}
