/** How the console's pages hear of the server's events, and that they are heard no more. */
import { afterEach, expect, test, vi } from "vitest";
import { limits } from "../../platform/limits.ts";

const { follow } = await import(new URL("static/ask.js", import.meta.url).href);

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("follow() fails where a stream that did not end says nothing for longer than the server ever does", async () => {
  vi.useFakeTimers();
  vi.stubGlobal("location", { protocol: "http:" });
  const said = new TransformStream<Uint8Array, Uint8Array>();
  const server = said.writable.getWriter();
  vi.stubGlobal("fetch", async (_path: string, { signal }: { readonly signal: AbortSignal }) => {
    signal.addEventListener("abort", () => void server.abort(signal.reason));
    return new Response(said.readable);
  });
  const events = follow("/console/live", { signal: new AbortController().signal });
  for (const id of ["1", "2", "3"]) {
    void server.write(Buffer.from(`id: ${id}\nevent: rate\ndata: {}\n\n`));
    expect(await events.next()).toEqual({ done: false, value: { id, event: "rate", data: {} } });
    await vi.advanceTimersByTimeAsync(2 * limits.liveHeartbeatMs);
  }
  let failed: unknown;
  void events.next().catch((error: unknown) => failed = error);
  await vi.advanceTimersByTimeAsync(limits.liveHeartbeatMs);
  expect(failed).toMatchObject({ status: 0 });
});
