/** Stands before a server that is killed and started again: counts requests, and hangs up where the server does. */
import { createServer, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

/** `onRequest` hears the number of each request when it is passed on, and how many were answered with 201 until then. */
export async function openCountingProxy(
  target: () => string,
  onRequest: (requests: number, taken: number) => void,
): Promise<CountingProxy> {
  let requests = 0;
  let taken = 0;
  function pass(incoming: IncomingMessage, answer: ServerResponse): void {
    const outgoing = request(
      target() + (incoming.url ?? ""),
      { method: incoming.method, headers: incoming.headers, agent: false },
      (response) => {
        if (response.statusCode === 201) taken += 1;
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
        response.once("error", () => answer.destroy());
      },
    );
    outgoing.once("error", () => answer.destroy());
    incoming.pipe(outgoing);
    requests += 1;
    onRequest(requests, taken);
  }
  const server = createServer(pass);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

export interface CountingProxy {
  readonly url: string;
  close(): Promise<void>;
}
