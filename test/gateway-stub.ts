/** A gateway on a free port with stubs behind it: a plain object for the profile service, one key, a limiter whose answers the test gives. */
import type { Client } from "@connectrpc/connect";
import type { AccessAdmin } from "../gateway/access/admin/admin.ts";
import type { Access, KeyHolder, ScimToken, TokenHolder } from "../gateway/access/access.ts";
import type { GatewayConfig } from "../gateway/config.ts";
import { type Gateway, type GatewayOptions, openGateway } from "../gateway/wire.ts";
import { fakeClock } from "../platform/clock.fixture.ts";
import { limits } from "../platform/limits.ts";
import type { Bucket, Draw, Drawn } from "../platform/limiter/limiter.ts";
import type { Taken } from "../platform/limiter/take.fixture.ts";
import { type Fields, silentLogger } from "../platform/logger.ts";
import { Refusal } from "../platform/refusal.ts";
import type { ContentService } from "../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { TranslationService } from "../proto/gen/heddle/content/v1/translation_service_pb.ts";
import type { LogService } from "../proto/gen/heddle/log/v1/log_service_pb.ts";
import type { MessagingStatusService } from "../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ProfileService } from "../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ScimService } from "../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { SubscriptionService } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";

export const stubKey = "stub-key-0123456789";
export const stubToken = "stub-token-0123456789";

export type ProfileStub = Partial<Client<typeof ProfileService>>;

export interface StubOptions {
  readonly profile?: ProfileStub;
  readonly log?: Partial<Client<typeof LogService>>;
  readonly subscription?: Partial<Client<typeof SubscriptionService>>;
  readonly messagingStatus?: Partial<Client<typeof MessagingStatusService>>;
  readonly scim?: Partial<Client<typeof ScimService>>;
  readonly content?: Partial<Client<typeof ContentService>>;
  readonly translations?: Partial<Client<typeof TranslationService>>;
  readonly permissions?: readonly string[];
  readonly holder?: Partial<KeyHolder>;
  /** Terms of the token `stubToken`. */
  readonly token?: Partial<ScimToken>;
  readonly take?: (key: string, bucket: Bucket, cost: number) => Taken;
  /** Hears of each question to the limiter. */
  readonly asked?: (draw: Draw) => void;
  readonly health?: GatewayOptions["health"];
  readonly telemetry?: GatewayOptions["telemetry"];
  readonly writesPaused?: boolean;
  /** In place of what the stub of who may call has. */
  readonly access?: Partial<Access & AccessAdmin>;
  readonly trustedProxies?: readonly string[];
  readonly config?: Partial<GatewayConfig>;
}

export interface StubGateway {
  readonly url: string;
  readonly port: number;
  readonly gateway: Gateway;
  /** Stands still until a test moves it. */
  readonly clock: ReturnType<typeof fakeClock>;
  /** Errors that were logged. */
  readonly logged: { event: string; error: unknown; fields: Fields | undefined }[];
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<StubAnswer>;
  get(path: string, headers?: Record<string, string>): Promise<StubAnswer>;
}

export interface StubAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** The answer of a limiter for which `take` answers for each bucket. */
function drawByTake(take: NonNullable<StubOptions["take"]>, { buckets, cost }: Draw): Drawn {
  const taken = buckets.map(({ key, bucket }) => take(key, bucket, cost));
  return {
    granted: taken.every(({ admitted }) => admitted) ? 1 : 0,
    buckets: taken.map(({ remaining, fullAt, retryAfterMs }) => ({ tokens: remaining, fullAt, retryAfterMs })),
  };
}

const stubConfig: GatewayConfig = {
  host: "127.0.0.1",
  port: 0,
  trustedProxies: [],
  hosts: [],
  publicUrl: "https://heddle.example",
  pagesUrl: "",
  leaveMs: 0,
};

/** Close its `gateway` after the test. */
export async function startStubGateway(options: StubOptions = {}): Promise<StubGateway> {
  const logged: StubGateway["logged"] = [];
  const clock = fakeClock();
  const take = options.take ??
    ((_key, { capacity }) => ({ admitted: true, remaining: capacity - 1, fullAt: clock.now(), retryAfterMs: 0 }));
  const gateway = openGateway({
    access: stubAccess(options),
    profile: (options.profile ?? {}) as Client<typeof ProfileService>,
    log: (options.log ?? {}) as Client<typeof LogService>,
    subscription: (options.subscription ?? {}) as Client<typeof SubscriptionService>,
    messagingStatus: (options.messagingStatus ?? {}) as Client<typeof MessagingStatusService>,
    scim: (options.scim ?? {}) as Client<typeof ScimService>,
    content: (options.content ?? {}) as Client<typeof ContentService>,
    translations: (options.translations ?? {}) as Client<typeof TranslationService>,
    limiter: {
      draw(draw) {
        options.asked?.(draw);
        return drawByTake(take, draw);
      },
      close: () => Promise.resolve(),
    },
    clock,
    logger: { ...silentLogger, error: (event, error, fields) => logged.push({ event, error, fields }) },
    config: { ...stubConfig, ...options.config, trustedProxies: options.trustedProxies ?? [] },
    ...(options.health ? { health: options.health } : {}),
    ...(options.telemetry ? { telemetry: options.telemetry } : {}),
  });
  const { url } = await gateway.listen();
  async function call(path: string, init: RequestInit): Promise<StubAnswer> {
    const answer = await fetch(url + path, init);
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
  }
  const authorization = `Bearer ${stubKey}`;
  return {
    url,
    port: Number(new URL(url).port),
    gateway: {
      ...gateway,
      close() {
        const closed = gateway.close();
        // The clock stands still: idle connections are closed only once it has moved
        clock.advance(limits.drainIdleMs);
        return closed;
      },
    },
    clock,
    logged,
    post: (path, body, headers = {}) =>
      call(path, {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { authorization, "content-type": "application/json", ...headers },
      }),
    get: (path, headers = {}) => call(path, { headers: { authorization, ...headers } }),
  };
}

export function stubHolder(options: Pick<StubOptions, "permissions" | "holder"> = {}): KeyHolder {
  return {
    key: {
      id: "key-1",
      workspaceId: "ws-1",
      name: "all",
      permissions: options.permissions ?? ["*"],
      ipAllow: [],
      createdAt: 0,
      revokedAt: null,
    },
    workspace: { id: "ws-1", companyId: "co-1", name: "demo", plan: { kind: "standard" }, currencyRates: { EUR: "1.08" }, apps: [] },
    company: { id: "co-1", name: "acme", onboardedAt: "2026-01-01" },
    ...options.holder,
  };
}

function stubTokenHolder(terms: Partial<ScimToken> = {}): TokenHolder {
  const token: ScimToken = {
    id: "tok-1",
    companyId: "co-1",
    name: "idp",
    origin: "okta",
    originHeader: "required",
    defaultWorkspaceId: "",
    ipAllow: [],
    createdAt: 0,
    revokedAt: null,
    ...terms,
  };
  return { token, company: stubHolder().company, directory: { workspaces: [{ id: "ws-1", name: "demo", teams: [] }], permissionSets: [] } };
}

function stubAccess(options: StubOptions): Access & AccessAdmin {
  const holder = stubHolder(options);
  return {
    findApiKey: (secret) => (secret === stubKey ? holder : undefined),
    findScimToken: (secret) => (secret === stubToken ? stubTokenHolder(options.token) : undefined),
    findSession: () => undefined,
    awaitSession: () => Promise.resolve(),
    awaitKey: () => Promise.resolve(),
    awaitCurrent: () => undefined,
    workspace: () => undefined,
    writesPaused: () => options.writesPaused ?? false,
    ...nobodysRows,
    allowsOrigin: (origin) => holder.workspace.corsOrigins?.includes(origin) === true,
    refresh: () => Promise.resolve(),
    close: () => {},
    ...options.access,
  };
}

/** What no stub is asked for. */
const nobodysRows: AccessAdmin = {
  rows: () => ({ companies: [], workspaces: [], keys: [], tokens: [], declared: [] }),
  transact: () => Promise.reject(new Refusal("STORE_UNAVAILABLE")),
  declared: () => [],
  actions: { note: () => Promise.resolve(), list: () => Promise.resolve([]) },
  uses: { note: () => {}, list: () => Promise.resolve(new Map()), close: () => {} },
  requests: { note: () => {}, list: () => Promise.resolve([]), flush: () => Promise.resolve(), close: () => {} },
  lastDeclaration: { note: () => Promise.resolve(), find: () => Promise.resolve(undefined) },
};
