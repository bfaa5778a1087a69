/** Parts of the server under test, called by RPC as senders and apps call them. The server is started with HEDDLE_RPC_PORT=0. */
import type { Client } from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { afterAll, beforeAll } from "vitest";
import { connectClient, type RpcClient } from "../platform/rpc/client.ts";
import { testShape } from "./heddle.ts";
import { fresh, type Suite } from "./suite.ts";

const allowedCaller = testShape === "mesh" ? "gateway" : "client";

/** `part` as in HEDDLE_PROFILE_URL. */
export function connectPart<Service extends DescService>(
  { heddle }: Suite,
  { part, service, caller = allowedCaller }: { part: string; service: Service; caller?: string },
): RpcClient<Service> {
  const address = testShape === "mesh" ? heddle.commandEnv[`HEDDLE_${part}_URL`] : /RPCs are served on (\S+)/.exec(heddle.output())?.[1];
  return connectClient(service, { addresses: [address ?? ""], caller, deadlineMs: 15_000 });
}

/** Connected before the file's tests; `scope` means the suite's workspace. */
export function partSuite<Service extends DescService>(suite: Suite, part: string, service: Service) {
  let rpc: RpcClient<Service> | undefined;
  let workspaceId = "";
  beforeAll(async () => {
    rpc = connectPart(suite, { part, service });
    workspaceId = ((await suite.get("/console/overview")).body as unknown as { workspace: { id: string } }).workspace.id;
  });
  afterAll(() => rpc?.close());
  return {
    get client(): Client<Service> {
      if (!rpc) throw new Error("The part was not connected");
      return rpc.client;
    },
    scope: () => ({ workspaceId, requestId: fresh(), actor: "app" }),
  };
}
