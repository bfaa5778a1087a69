/** A part that serves while its log and its rows fit, and refuses every call with the reason while they do not. */
import type { DescService } from "@bufbuild/protobuf";
import { errorText } from "../error-text.ts";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import type { RpcRoute } from "../rpc/guard.ts";
import type { ServedPart } from "../rpc/served-part.ts";
import { type RpcServer, type RpcServerOptions, serveRpc } from "../rpc/server.ts";
import type { Readiness } from "../telemetry/metrics-server.ts";

export interface EpochPartPlan<Rpc extends { readonly port: number }> {
  readonly services: readonly DescService[];
  readonly callers: RpcServerOptions["callers"];
  readonly rpc: Rpc & Pick<RpcServerOptions, "host" | "tls">;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Opens everything and serves. `onMismatch` is what the guard of the log calls; `beforeListen` has to be awaited right before the
   * port of `rpc` is taken.
   */
  open(ends: EpochPartEnds<Rpc>): Promise<ServedPart>;
}

export interface EpochPartEnds<Rpc> {
  readonly rpc: Rpc;
  readonly onMismatch: (refusal: Refusal) => void;
  readonly beforeListen: () => Promise<void>;
}

/** Rejects as `open` does, but for EPOCH_MISMATCH: then it listens and refuses, and tries again until what was lost is mended. */
export async function serveInEpoch<Rpc extends { readonly port: number }>(plan: EpochPartPlan<Rpc>): Promise<ServedPart> {
  const part = new Served(plan);
  await part.start();
  return part;
}

class Served<Rpc extends { readonly port: number }> implements ServedPart {
  url = "";
  readonly #plan: EpochPartPlan<Rpc>;
  #part: ServedPart | undefined;
  #refusing: RpcServer | undefined;
  #mismatch: Refusal | undefined;
  /** What did not fit when that could be looked at last. */
  #seen: Refusal | undefined;
  #changing: Promise<void> = Promise.resolve();
  #cancel: () => void = () => {};
  #closed = false;

  constructor(plan: EpochPartPlan<Rpc>) {
    this.#plan = plan;
  }

  async start(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      if (!isMismatch(error)) throw error;
      this.#seen = error;
      await this.#refuse(error);
    }
  }

  health(): Readiness {
    if (this.#mismatch) return { ready: false, reason: this.#mismatch.message };
    return this.#part?.health() ?? { ready: false, reason: "It is being opened" };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await this.#changing;
    await this.#refusing?.close();
    await this.#part?.close();
  }

  async #open(): Promise<void> {
    const { rpc } = this.#plan;
    let mismatch: Refusal | undefined;
    const part = await this.#plan.open({
      rpc: this.url === "" ? rpc : { ...rpc, port: Number(new URL(this.url).port) },
      onMismatch: (refusal) => {
        mismatch = refusal;
        this.#seen = refusal;
        if (this.#part !== undefined) this.#change(() => this.#refuse(refusal));
      },
      beforeListen: async () => {
        await this.#refusing?.close();
        this.#refusing = undefined;
      },
    });
    this.#part = part;
    this.url = part.url;
    if (mismatch !== undefined) throw mismatch;
    if (this.#mismatch !== undefined) this.#plan.logger.info("epoch_fits", { url: this.url });
    this.#mismatch = undefined;
  }

  /** Everything in memory goes: what was true of the log before says nothing of it now. */
  async #refuse(mismatch: Refusal): Promise<void> {
    if (this.#mismatch?.message !== mismatch.message) this.#plan.logger.error("epoch_mismatch", mismatch);
    this.#mismatch = mismatch;
    const part = this.#part;
    this.#part = undefined;
    await part?.close();
    this.#refusing ??= await this.#serveRefusals();
    this.url = this.#refusing.url;
    this.#cancel = this.#plan.clock.after(limits.epochRetryMs, () => this.#change(() => this.#again()));
  }

  async #again(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      if (isMismatch(error)) {
        this.#seen = error;
        await this.#refuse(error);
        return;
      }
      const reason = errorText(error);
      this.#plan.logger.warn("epoch_not_looked_at", { reason });
      await this.#refuse(
        new Refusal("EPOCH_MISMATCH", `${this.#seen?.message ?? "The log and the rows did not fit"}. ${since}: ${reason}`),
      );
    }
  }

  #serveRefusals(): Promise<RpcServer> {
    const { services, callers, rpc, clock, logger } = this.#plan;
    const routes = services.map((service) => refusingRoute(service, () => this.#mismatch ?? new Refusal("EPOCH_MISMATCH")));
    const port = this.url === "" ? rpc.port : Number(new URL(this.url).port);
    return serveRpc({ ...rpc, port, routes, callers, clock, logger, health: () => ({ ready: false }) });
  }

  #change(work: () => Promise<void>): void {
    this.#changing = this.#changing.then(() => this.#closed ? undefined : work()).catch((error: unknown) => {
      this.#plan.logger.error("epoch_change_failed", error);
      // A port that is still taken is free a moment later
      if (!this.#closed) this.#cancel = this.#plan.clock.after(limits.epochRetryMs, () => this.#change(() => this.#again()));
    });
  }
}

const since = "This may be mended: the part looks again every second, and now cannot open";

function refusingRoute(service: DescService, refusal: () => Refusal): RpcRoute {
  function refuse(): never {
    throw refusal();
  }
  return { service, implementation: Object.fromEntries(service.methods.map(({ localName }) => [localName, refuse])) };
}

function isMismatch(error: unknown): error is Refusal {
  return error instanceof Refusal && error.reason === "EPOCH_MISMATCH";
}
