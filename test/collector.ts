/** A trace collector for tests: takes OTLP over HTTP as JSON and keeps every span. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** As OTLP numbers them: 2 answers a call, 3 makes one. */
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  /** service.name of its process. */
  readonly service: string;
}

export interface Collector {
  readonly url: string;
  /** Of one trace, in the order they came. */
  spans(traceId: string): readonly CollectedSpan[];
  /** Everything that was posted, as text. */
  text(): string;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      bodies.push(body);
      for (const { resource, scopeSpans } of (JSON.parse(body) as Posted).resourceSpans) {
        const service = resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue ?? "";
        spans.push(...scopeSpans.flatMap((scope) => scope.spans).map((span) => ({ ...span, service })));
      }
      response.end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: (traceId) => spans.filter((span) => span.traceId === traceId),
    text: () => bodies.join("\n"),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Posted {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<CollectedSpan, "service">[] }[];
  }[];
}
