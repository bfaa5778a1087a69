/** The live view: what requests of watched workspaces become, here and at other gateways. Where no view is open it costs one look at `watched`. */
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/identifier.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { AnswerStream, HttpAnswer } from "../../http/http-message.ts";
import type { GatewayBus } from "../../access/store/gateway-bus.ts";
import type { LiveFilter } from "./filter.ts";
import { type LiveRequest, liveRequestOf, type SeenRequest, withoutPersonal } from "./seen.ts";
import { endText, type Rates, type Viewer, type Wanted, Watch } from "./watch.ts";

/** What requests are reported to. */
export interface LiveSource {
  /** Some workspace is watched. */
  readonly watched: boolean;
  note(seen: SeenRequest): void;
}

export interface Live extends LiveSource {
  /** A view of the workspace, as the answer to a request. Refuses OVERLOADED (too many views), SHUTTING_DOWN. */
  view(workspaceId: string, viewer: Omit<Viewer, "out">, lastId: string | undefined): NonNullable<HttpAnswer["stream"]>;
  /** What came lately, the newest first; from now on it is watched for a while. */
  recent(workspaceId: string, filter: LiveFilter): readonly LiveRequest[];
  /** Ends all views. */
  close(): void;
}

/** How gateways reach each other; without it each shows its own requests alone. */
export interface Between {
  readonly bus: Pick<GatewayBus, "publish" | "subscribe">;
  readonly installation: string;
}

export function openLive({ clock, between }: { readonly clock: Clock; readonly between?: Between }): Live {
  return new LiveViews(clock, between);
}

/** From one gateway to others. */
type Message =
  | { readonly from: string; readonly workspaceId: string; readonly wanted: Wanted }
  | { readonly from: string; readonly request: LiveRequest; readonly keys: readonly string[] }
  | { readonly from: string; readonly rates: Rates };

class LiveViews implements Live {
  watched = false;
  readonly #clock: Clock;
  readonly #between: Between | undefined;
  /** Of this life of this gateway. */
  readonly #name: string;
  readonly #watches = new Map<string, Watch>();
  /** Ends the listening to what other gateways send of a workspace. */
  readonly #listening = new Map<string, () => void>();
  readonly #deafen: (() => void) | undefined;
  #announcedAt = Number.NEGATIVE_INFINITY;
  #stopTick: (() => void) | undefined;
  #closed = false;

  constructor(clock: Clock, between: Between | undefined) {
    this.#clock = clock;
    this.#between = between;
    this.#name = newId("gw_", clock).slice(0, nameChars);
    this.#deafen = between?.bus.subscribe(subjectOfAll(between), (body) => this.#hear(body));
  }

  note(seen: SeenRequest): void {
    const watch = this.#watches.get(seen.workspaceId);
    // Pages of the console ask all the time, and would show each other
    if (watch === undefined || seen.route.startsWith("/console")) return;
    const now = this.#clock.monotonic();
    const taken = watch.take(seen, now);
    if (taken.length === 0) return;
    const request = small(liveRequestOf(seen, { gateway: this.#name, withPersonal: watch.isPersonal }));
    const keys = watch.through(request, taken);
    if (keys.length === 0) return;
    watch.show(request, keys, now);
    if (watch.isSent) this.#send(seen.workspaceId, { from: this.#name, request, keys });
  }

  view(workspaceId: string, viewer: Omit<Viewer, "out">, lastId: string | undefined): NonNullable<HttpAnswer["stream"]> {
    if (this.#closed) throw new Refusal("SHUTTING_DOWN");
    if (this.#isFull(workspaceId)) throw new Refusal("OVERLOADED", tooMany);
    return (out) => {
      // Others may have begun since
      if (this.#isFull(workspaceId)) return endAtOnce(out, "full");
      const watch = this.#watch(workspaceId);
      const opened = { lastId, gateway: this.#name, now: this.#clock.monotonic() };
      const leave = watch.open({ ...viewer, out }, opened);
      this.#announce(workspaceId, watch);
      return () => {
        leave();
        // No gateway may send us what no view may see
        if (viewer.personal) this.#announce(workspaceId, watch);
      };
    };
  }

  recent(workspaceId: string, filter: LiveFilter): readonly LiveRequest[] {
    if (this.#closed) throw new Refusal("SHUTTING_DOWN");
    const watch = this.#watch(workspaceId);
    watch.touch(filter, this.#clock.monotonic());
    return watch.recent(filter);
  }

  close(): void {
    this.#closed = true;
    this.watched = false;
    this.#stopTick?.();
    this.#deafen?.();
    for (const stop of this.#listening.values()) stop();
    for (const watch of this.#watches.values()) watch.end("closing");
    this.#watches.clear();
  }

  #isFull(workspaceId: string): boolean {
    const own = this.#watches.get(workspaceId)?.viewers ?? 0;
    const all = [...this.#watches.values()].reduce((sum, { viewers }) => sum + viewers, 0);
    return own >= limits.liveViewersPerWorkspaceMax || all >= limits.liveViewersMax;
  }

  #watch(workspaceId: string): Watch {
    const known = this.#watches.get(workspaceId);
    if (known) return known;
    const watch = new Watch(newId("uuid", this.#clock));
    this.#watches.set(workspaceId, watch);
    this.watched = true;
    this.#stopTick ??= this.#clock.after(limits.liveTickMs, () => this.#tick());
    return watch;
  }

  #tick(): void {
    this.#stopTick = undefined;
    if (this.#closed) return;
    const now = this.#clock.monotonic();
    const announces = now - this.#announcedAt >= limits.liveAnnounceMs;
    if (announces) this.#announcedAt = now;
    for (const [workspaceId, watch] of this.#watches) {
      const rates = watch.tick(now);
      if (watch.isSent) this.#send(workspaceId, { from: this.#name, rates });
      if (announces) this.#announce(workspaceId, watch);
      if (!watch.isOver) continue;
      this.#watches.delete(workspaceId);
      this.#listening.get(workspaceId)?.();
      this.#listening.delete(workspaceId);
    }
    this.watched = this.#watches.size > 0;
    if (this.watched) this.#stopTick = this.#clock.after(limits.liveTickMs, () => this.#tick());
  }

  /** Other gateways send what is wanted here, for a while. */
  #announce(workspaceId: string, watch: Watch): void {
    const wanted = watch.wanted(this.#clock.monotonic());
    const between = this.#between;
    if (wanted === undefined || between === undefined || this.#closed) return;
    if (!this.#listening.has(workspaceId)) {
      this.#listening.set(workspaceId, between.bus.subscribe(subjectOf(between, workspaceId), (body) => this.#take(workspaceId, body)));
    }
    publish(between, subjectOfAll(between), { from: this.#name, workspaceId, wanted });
  }

  #send(workspaceId: string, message: Message): void {
    if (this.#between) publish(this.#between, subjectOf(this.#between, workspaceId), message);
  }

  #hear(body: Uint8Array): void {
    const message = messageOf(body);
    if (message === undefined || !("wanted" in message) || message.from === this.#name || this.#closed) return;
    this.#watch(message.workspaceId).hear(message.from, message.wanted, this.#clock.monotonic());
  }

  #take(workspaceId: string, body: Uint8Array): void {
    const message = messageOf(body);
    const watch = this.#watches.get(workspaceId);
    if (message === undefined || watch === undefined || message.from === this.#name) return;
    const now = this.#clock.monotonic();
    if ("request" in message) watch.show(message.request, message.keys, now);
    if ("rates" in message) watch.addRates(message.from, message.rates, now);
  }
}

const nameChars = 20;
const tooMany = `At most ${limits.liveViewersPerWorkspaceMax} live views of a workspace are open at a gateway: close one`;

function endAtOnce(out: AnswerStream, reason: string): () => void {
  out.write(endText(reason));
  out.end();
  return () => {};
}

function subjectOfAll({ installation }: Between): string {
  return `${installation}-live`;
}

/** An id may have dots, which part a subject. */
function subjectOf({ installation }: Between, workspaceId: string): string {
  return `${installation}-live-${Buffer.from(workspaceId).toString("base64url")}`;
}

/** What takes no more than a message may hold: names that were sent may be long. */
function small(request: LiveRequest): LiveRequest {
  if (Buffer.byteLength(JSON.stringify(request)) <= limits.liveMessageBytesMax) return request;
  return { ...withoutPersonal(request), events: [], objects: [], unread: true };
}

function publish({ bus }: Between, subject: string, message: Message): void {
  bus.publish(subject, Buffer.from(JSON.stringify(message)));
}

function messageOf(body: Uint8Array): Message | undefined {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()) as Message;
  } catch {
    return undefined;
  }
}
