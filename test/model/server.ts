/** A whole embedded Heddle for the model tests: real parts and files, no published limits, and bugs that can be planted. */
import { join } from "node:path";
import type { Access, KeyHolder } from "../../gateway/access/access.ts";
import { openGateway } from "../../gateway/wire.ts";
import { readConfig } from "../../platform/config.ts";
import type { AccessAdmin } from "../../gateway/access/admin/admin.ts";
import { readGatewayConfig } from "../../gateway/config.ts";
import type { Limiter } from "../../platform/limiter/limiter.ts";
import { systemClock } from "../../platform/clock.ts";
import { openSqliteLog } from "../../platform/log/sqlite.ts";
import { createLogger } from "../../platform/logger.ts";
import { directClient } from "../../platform/rpc/direct.ts";
import { openDatabase } from "../../platform/sqlite/database.ts";
import { LogService } from "../../proto/gen/heddle/log/v1/log_service_pb.ts";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import { TranslationService } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { openProfile } from "../../services/profile/wire.ts";
import { type Plant, planted } from "./planted.ts";
import { serveReports } from "./reports.ts";

const [folder = ".", plant = ""] = process.argv.slice(2);
const logger = createLogger({ level: "error", name: "model" });
const clock = systemClock;
const database = openDatabase({ path: join(folder, "model.db"), clock, logger });
const bug = planted(plant as Plant);
const log = bug.log(await openSqliteLog({ database, partitions: 1, clock }));
const undoWindowMs = 7 * 24 * 3600 * 1000;
const part = await openProfile({ database: bug.database(database), log, clock, logger, undoWindowMs, steps: bug.steps });
const gateway = openGateway({
  access: everyone(),
  profile: directClient(ProfileService, part.service),
  log: directClient(LogService, {}),
  subscription: directClient(SubscriptionService, {}),
  messagingStatus: directClient(MessagingStatusService, {}),
  scim: directClient(ScimService, {}),
  content: directClient(ContentService, {}),
  translations: directClient(TranslationService, {}),
  limiter: unlimited(),
  clock,
  logger,
  config: readConfig({ HEDDLE_HTTP_PORT: "0" }, readGatewayConfig),
  health: () => part.health(),
});
const { url } = await gateway.listen();
const reportUrl = await serveReports(directClient(ProfileService, part.service));
console.log(`listening on ${url} and ${reportUrl}`);

function everyone(): Access & AccessAdmin {
  const company = { id: "co_model", name: "model", onboardedAt: "2026-01-01" };
  const workspace = {
    id: "ws_model",
    companyId: company.id,
    name: "model",
    plan: { kind: "standard" as const },
    currencyRates: {},
    apps: [],
  };
  const key = { id: "key_model", workspaceId: workspace.id, name: "model", permissions: ["*"], ipAllow: [], createdAt: 0, revokedAt: null };
  const holder: KeyHolder = { key, workspace, company };
  return {
    findApiKey: () => holder,
    findScimToken: () => undefined,
    findSession: () => undefined,
    awaitSession: () => Promise.resolve(),
    awaitKey: () => Promise.resolve(),
    awaitCurrent: () => undefined,
    rows: () => ({ companies: [company], workspaces: [workspace], keys: [], tokens: [], declared: [] }),
    transact: () => Promise.reject(new Error("Nothing is changed")),
    declared: () => [],
    actions: { note: () => Promise.resolve(), list: () => Promise.resolve([]) },
    uses: { note: () => {}, list: () => Promise.resolve(new Map()), close: () => {} },
    requests: { note: () => {}, list: () => Promise.resolve([]), flush: () => Promise.resolve(), close: () => {} },
    lastDeclaration: { note: () => Promise.resolve(), find: () => Promise.resolve(undefined) },
    workspace: () => workspace,
    allowsOrigin: () => false,
    writesPaused: () => false,
    refresh: () => Promise.resolve(),
    close: () => undefined,
  };
}

function unlimited(): Limiter {
  return {
    draw: ({ buckets, count }) => ({ granted: count, buckets: buckets.map(() => ({ tokens: 1, fullAt: 0, retryAfterMs: 0 })) }),
    close: () => Promise.resolve(),
  };
}
