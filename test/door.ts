/** Stands before a server that tests share: it can be shut for one installation, as if the server were away. */
import { connect, createServer, type Socket } from "node:net";

export interface Door {
  /** `127.0.0.1:port`, the same as long as it lives. */
  readonly address: string;
  /** Cuts all connections and takes no new ones. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

/** `behind` is `host:port`. */
export async function openDoor(behind: string): Promise<Door> {
  const sockets = new Set<Socket>();
  const state = { shut: false };
  const colon = behind.lastIndexOf(":");
  const server = createServer((socket) => {
    if (state.shut) return void socket.destroy();
    const onward = connect(Number(behind.slice(colon + 1)), behind.slice(0, colon));
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on("error", () => end.destroy());
      end.on("close", () => {
        sockets.delete(end);
        (end === socket ? onward : socket).destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }
  return {
    address: `127.0.0.1:${(server.address() as { port: number }).port}`,
    shut() {
      state.shut = true;
      cut();
    },
    open() {
      state.shut = false;
    },
    close: () =>
      new Promise((done) => {
        cut();
        server.close(() => done());
      }),
  };
}
