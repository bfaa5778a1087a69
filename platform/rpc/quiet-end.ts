/**
 * Connections that end without a GOAWAY. The frame kills the process at the other end where that runs on Deno 2.9.6
 * (an assertion of nghttp2, denoland/deno#36788): so our callers say none, and parts say none to callers that ask for it.
 */
import type { Http2Session, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";

/** A caller that sends it, with any value, wants the end of the connection and no announcement of it. */
export const noGoawayHeader = "heddle-no-goaway";

/** What a call of this process says besides its own headers. */
export const quietHeaders: OutgoingHttpHeaders = "Deno" in globalThis ? { [noGoawayHeader]: "1" } : {};

export interface QuietSessions {
  /** A stream began, with these headers. */
  began(stream: ServerHttp2Stream, headers: { readonly [name: string]: unknown }): void;
  /** Whether its caller asked for a quiet end. */
  has(session: Http2Session): boolean;
  /**
   * Asks the caller to send no more calls on the connection, and calls `cut` once it has acknowledged that and no call is under way.
   * HTTP/2 refuses a call that the caller sent before that, which says that nothing was done; so none is cut whose outcome the caller
   * could not know. Without an acknowledgement within rpcQuietEndMs, `cut` comes when no call is under way.
   */
  end(session: Http2Session, cut: () => void): void;
}

export function quietSessions(clock: Clock): QuietSessions {
  const underWay = new WeakMap<Http2Session, number>();
  const idle = new WeakMap<Http2Session, () => void>();
  return {
    began(stream, headers) {
      const { session } = stream;
      if (session === undefined || headers[noGoawayHeader] === undefined) return;
      underWay.set(session, (underWay.get(session) ?? 0) + 1);
      stream.once("close", () => {
        const left = (underWay.get(session) ?? 1) - 1;
        underWay.set(session, left);
        if (left === 0) idle.get(session)?.();
      });
    },
    has: (session) => underWay.has(session),
    end(session, cut) {
      if (session.destroyed) return;
      function end(): void {
        if (underWay.get(session) === 0) cut();
      }
      function heard(): void {
        cancel();
        idle.set(session, end);
        end();
      }
      const cancel = clock.after(limits.rpcQuietEndMs, heard);
      // What came before the acknowledgement is refused in the same turn
      session.settings({ maxConcurrentStreams: noStreams }, () => setImmediate(heard));
      // Deno sends settings along with the next frame only
      session.ping(() => {});
    },
  };
}

/** What a server allows that wants no call more on the connection: HTTP/2 has no other word for it but GOAWAY. */
export const noStreams = 0;
