/** The SCIM service in one process with a clock that stands still, and the calls that its tests make. */
import { afterEach, beforeEach } from "vitest";
import type { Client } from "@connectrpc/connect";
import { fakeClock } from "../../platform/clock.fixture.ts";
import { silentLogger } from "../../platform/logger.ts";
import { directClient } from "../../platform/rpc/direct.ts";
import { type Database, openDatabase } from "../../platform/sqlite/database.ts";
import { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { directory as declared } from "./domain/user.fixture.ts";
import type { PublishedEvent } from "../../platform/events/events.ts";
import type { ScimPart } from "./compose.ts";
import { openScim } from "./wire.ts";

const core = "urn:ietf:params:scim:schemas:core:2.0:User";
export const patchOp = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

export const directory = {
  workspaces: declared.workspaces.map((workspace) => ({ ...workspace, teams: [...workspace.teams] })),
  permissionSets: [...declared.permissionSets],
  defaultWorkspaceId: declared.defaultWorkspaceId,
};

/** One service for each test of the file. */
export function scimService(): ScimUnderTest {
  const held: { -readonly [K in keyof ScimUnderTest]?: ScimUnderTest[K] } = {};
  async function open(): Promise<void> {
    const { database, clock } = at;
    held.part = await openScim({ database, clock, logger: silentLogger, publish: (event) => at.publishing(event) });
    held.scim = directClient(ScimService, held.part.service, clock);
  }
  const at = held as ScimUnderTest;
  held.open = open;
  held.create = async (name, more = {}, of = {}) => {
    const { user } = await at.scim.createUser({ scope: scope(of), directory, bodyJson: body(name, { permissions: {}, ...more }) });
    return { id: user?.id ?? "", etag: user?.etag ?? "", json: json(user), replayed: user?.replayed };
  };
  beforeEach(async () => {
    held.database = openDatabase({ path: ":memory:" });
    held.clock = fakeClock();
    held.published = [];
    held.publishing = async (event) => void at.published.push(event);
    await open();
  });
  afterEach(async () => {
    await at.part.close();
    await at.database.close();
  });
  return at;
}

export interface ScimUnderTest {
  readonly database: Database;
  readonly part: ScimPart;
  readonly scim: Client<typeof ScimService>;
  readonly clock: ReturnType<typeof fakeClock>;
  readonly published: PublishedEvent[];
  publishing: (event: PublishedEvent) => Promise<void>;
  /** Opens the service once more on the same database. */
  open(): Promise<void>;
  create(
    name: string,
    more?: object,
    of?: object,
  ): Promise<{ id: string; etag: string; json: Record<string, unknown>; replayed: boolean | undefined }>;
}

export function scope(more: object = {}) {
  return {
    companyId: "co-1",
    requestId: "r",
    actor: "tok-1",
    origin: "okta",
    method: "POST",
    target: "/scim/v2/Users",
    baseUrl: "https://h.example",
    ...more,
  };
}

export function bytes(body: unknown): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(JSON.stringify(body)));
}

export function body(name: string, more: object = {}): Uint8Array<ArrayBuffer> {
  return bytes({ schemas: [core], userName: `${name}@x.de`, name: { givenName: name, familyName: "Y" }, department: "pm", ...more });
}

export function json(user: { userJson: Uint8Array } | undefined) {
  return JSON.parse(Buffer.from(user?.userJson ?? []).toString()) as Record<string, unknown>;
}
