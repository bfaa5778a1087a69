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
   * Calls `cut` when nothing is under way on the connection, but not before its caller had time to hear, from a call that is
   * refused, that this process goes.
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
      function end(): void {
        if (underWay.get(session) === 0) cut();
      }
      clock.after(limits.rpcQuietEndMs, () => {
        idle.set(session, end);
        end();
      });
    },
  };
}
