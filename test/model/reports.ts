/** The RPCs that other teams call, as two small HTTP routes for the player: no public endpoint writes sessions and engagements. */
import type { Client } from "@connectrpc/connect";
import { createServer, type IncomingMessage } from "node:http";
import { EngagementReport_Channel } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { Key, Report } from "./reference-user.ts";

const workspaceId = "ws_model";

/** Listens on a free port of loopback; resolves with the address. */
export function serveReports(profile: Client<typeof ProfileService>): Promise<string> {
  const server = createServer((request, response) => {
    answer(profile, request).then(
      () => response.writeHead(201).end('{"message":"success"}'),
      (error: unknown) => response.writeHead(503).end(JSON.stringify({ message: String(error) })),
    );
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
    });
  });
}

async function answer(profile: Client<typeof ProfileService>, request: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const report = JSON.parse(Buffer.concat(chunks).toString()) as Report;
  const scope = { workspaceId, requestId: "model", actor: "model", route: "report" };
  const user = messageOf(report.user);
  if (report.kind === "session") {
    const device = { deviceId: report.deviceId, model: "m", os: "o" };
    await profile.reportSession({ scope, report: { user, appId: report.appId, startedAt: BigInt(report.time), device } });
  } else {
    const { campaignId: messageId, interaction } = report;
    const channel = EngagementReport_Channel.CAMPAIGN;
    await profile.reportEngagement({ scope, report: { user, channel, messageId, name: "News", interaction, at: BigInt(report.time) } });
  }
}

function messageOf(key: Key) {
  switch (key.by) {
    case "externalId":
      return { key: { case: "externalId" as const, value: key.id } };
    case "alias":
      return { key: { case: "alias" as const, value: { label: key.label, name: key.name } } };
    case "email":
      return { key: { case: "email" as const, value: key.id } };
    case "phone":
      return { key: { case: "phone" as const, value: key.id } };
    case "platformId":
      return { key: { case: "platformId" as const, value: key.id } };
  }
}
