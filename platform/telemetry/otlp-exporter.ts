/** Posts spans to a collector in batches; what it cannot send in time it drops and counts, and no request waits for it. */
import { BestEffortBatch } from "../best-effort-batch.ts";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import type { Attributes, EndedSpan, SpanKind } from "./tracer.ts";

export interface ExporterOptions {
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly resource: Attributes;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Spans that are lost, and why. */
  readonly dropped: (reason: "queue_full" | "send_failed", spans: number) => void;
}

export class OtlpExporter {
  readonly #options: ExporterOptions;
  readonly #spans: BestEffortBatch<EndedSpan>;
  #failing = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#spans = new BestEffortBatch({
      clock: options.clock,
      collectMs: limits.traceFlushMs,
      itemsPerWriteMax: limits.traceSpansPerBatchMax,
      itemsMax: limits.traceSpansWaitingMax + limits.traceSpansPerBatchMax,
      write: (batch) => this.#send(batch),
      lost: ({ reason, items }) => options.dropped(reason === "full" ? "queue_full" : "send_failed", items),
    });
  }

  take(span: EndedSpan): void {
    this.#spans.add(span);
  }

  /** Sends what waits, within `traceSendMsMax`, and takes nothing more. */
  async close(): Promise<void> {
    await this.#spans.close();
  }

  async #send(batch: readonly EndedSpan[]): Promise<void> {
    const { logger } = this.#options;
    const problem = await this.#post(batch);
    // Once, not a line a batch
    if (problem !== undefined && !this.#failing) logger.warn("traces_not_sent", { message: problem });
    if (problem === undefined && this.#failing) logger.info("traces_sent_again");
    this.#failing = problem !== undefined;
    if (problem !== undefined) throw new Error(problem);
  }

  /** Why the collector did not take them. The client's own texts quote the address and the headers, with the secrets in them. */
  async #post(batch: readonly EndedSpan[]): Promise<string | undefined> {
    const { url, headers, resource } = this.#options;
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: [...headers.map(([name, value]): [string, string] => [name, value]), ["content-type", "application/json"]],
        body: exportRequest(batch, resource),
        signal: AbortSignal.timeout(limits.traceSendMsMax),
      });
      await response.arrayBuffer();
      return response.ok ? undefined : `The collector answered ${response.status}`;
    } catch (error) {
      const { name, cause } = error as Error;
      return `The collector cannot be asked (${(cause as { readonly code?: string } | undefined)?.code ?? name})`;
    }
  }
}

export function exportRequest(spans: readonly EndedSpan[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [{
      resource: { attributes: attributesOf(resource) },
      scopeSpans: [{ scope: { name: "heddle" }, spans: spans.map(spanOf) }],
    }],
  });
}

function spanOf({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, failed }: EndedSpan): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== "" && { parentSpanId }),
    name,
    kind: kindNumbers[kind],
    startTimeUnixNano: nanosOf(startMs),
    endTimeUnixNano: nanosOf(endMs),
    attributes: attributesOf(attributes),
    // 2: an error; left out: unset
    ...(failed && { status: { code: 2 } }),
  };
}

const kindNumbers: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 };

/** Milliseconds with their parts as whole nanoseconds, which no double can hold. */
function nanosOf(ms: number): string {
  const whole = Math.floor(ms);
  return `${BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6))}`;
}

function attributesOf(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
