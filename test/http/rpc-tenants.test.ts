/** RPCs of all parts: a workspace or company that is not there is refused by every method, one that was just made by none. */
import type { DescService } from "@bufbuild/protobuf";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ContentService } from "../../proto/gen/heddle/content/v1/content_service_pb.ts";
import { TranslationService } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { ScimService } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { runCommand } from "../command-line.ts";
import { connectPart } from "../part-client.ts";
import { fresh, freshEmail, heddleSuite } from "../suite.ts";

const suite = heddleSuite({ env: { HEDDLE_RPC_PORT: "0" } });
const folder = mkdtempSync(join(tmpdir(), "heddle-tenants-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const services: readonly (readonly [string, DescService])[] = [
  ["PROFILE", ProfileService],
  ["SUBSCRIPTION", SubscriptionService],
  ["MESSAGING_STATUS", MessagingStatusService],
  ["SCIM", ScimService],
  ["CONTENT", ContentService],
  ["CONTENT", TranslationService],
];

/** The reason why a call is refused, "" where it is answered. */
async function reasonOf(call: Promise<unknown>): Promise<string> {
  return await call.then(() => "", (error: unknown) => String((error as { reason?: unknown }).reason ?? error));
}

for (const [part, service] of services) {
  test(`${service.typeName}: every method that has a scope refuses one that is not there`, async () => {
    const { client, close } = connectPart(suite, { part, service });
    const calls = client as unknown as Record<string, (message: object) => Promise<unknown>>;
    try {
      const scoped = Object.entries(service.method).filter(([, { input }]) => input.fields.some(({ localName }) => localName === "scope"));
      expect(scoped.length).toBeGreaterThan(3);
      const scope = service === ScimService
        ? { companyId: "co_nope", requestId: "r" }
        : { workspaceId: "ws_nope", requestId: "r", actor: "a" };
      for (const [name] of scoped) {
        expect(`${name} ${await reasonOf(calls[name]?.({ scope }) ?? Promise.resolve())}`).toBe(`${name} NOT_FOUND`);
      }
    } finally {
      close();
    }
  });
}

test("a workspace that is not there gets no bounce, and a flood of them refuses nobody else", async () => {
  const { client, close } = connectPart(suite, { part: "MESSAGING_STATUS", service: MessagingStatusService });
  try {
    const calls = Array.from(
      { length: 300 },
      (_, at) =>
        reasonOf(client.reportBounce({ scope: { workspaceId: `ws_nope${at}`, requestId: fresh(), actor: "a" }, emails: [freshEmail()] })),
    );
    for (const reason of await Promise.all(calls)) expect(reason).toBe("NOT_FOUND");
  } finally {
    close();
  }
});

test("a workspace that was made just now is known to every part at once", async () => {
  const status = connectPart(suite, { part: "MESSAGING_STATUS", service: MessagingStatusService });
  const profile = connectPart(suite, { part: "PROFILE", service: ProfileService });
  try {
    for (let round = 0; round < 3; round += 1) {
      const name = fresh("co");
      const file = join(folder, `${name}.yaml`);
      writeFileSync(file, `companies: [{ name: ${name}, workspaces: [{ name: main }] }]\n`);
      const { code, output, errors } = await runCommand(["apply", "-f", file, "--json"], suite.heddle.commandEnv);
      expect(code, errors).toBe(0);
      const { changes } = JSON.parse(output) as { changes: { what: string; id: string }[] };
      const workspaceId = changes.find(({ what }) => what === "workspace")?.id ?? "";
      const scope = () => ({ workspaceId, requestId: fresh(), actor: "sender" });
      expect(await reasonOf(status.client.reportBounce({ scope: scope(), emails: [freshEmail()] }))).toBe("");
      expect(await reasonOf(profile.client.resolveUsers({ scope: scope(), users: [] }))).toBe("");
    }
  } finally {
    status.close();
    profile.close();
  }
});
