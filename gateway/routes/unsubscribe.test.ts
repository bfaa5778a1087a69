/** What a link of a group shows and does where the group is there, is not, or its owner cannot be asked. */
import { expect, test } from "vitest";
import { Refusal } from "../../platform/refusal.ts";
import { directClient } from "../../platform/rpc/direct.ts";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { handleUnsubscribe, handleUnsubscribePage } from "./unsubscribe.ts";

interface Case {
  readonly name: string;
  /** None: all email. */
  readonly group?: string;
  readonly isAway?: true;
  /** As of a messaging-status service of the build before. */
  readonly workspaceId?: "";
  readonly asks: string;
  readonly says: string;
  readonly used: number;
}

const unknown = "Invalid subscription group ID";

const cases: Case[] = [
  { name: "all email", asks: "no more email to <strong>a@b.org</strong>?", says: "You are unsubscribed.", used: 1 },
  {
    name: "a group, whose name is escaped",
    group: "g",
    asks: "no more email of <strong>R&amp;D</strong> to <strong>a@b.org</strong>?",
    says: "You are unsubscribed from <strong>R&amp;D</strong>.",
    used: 1,
  },
  { name: "an unknown group", group: "nope", asks: unknown, says: unknown, used: 0 },
  { name: "an archived group, which ignores changes", group: "old", asks: unknown, says: unknown, used: 0 },
  {
    name: "a group whose owner is away",
    group: "nope",
    isAway: true,
    asks: "no more email of one list to <strong>a@b.org</strong>?",
    says: "You are unsubscribed from one list.",
    used: 1,
  },
  {
    name: "a group of a workspace that is not said",
    group: "g",
    workspaceId: "",
    asks: "no more email of one list to <strong>a@b.org</strong>?",
    says: "You are unsubscribed from one list.",
    used: 1,
  },
];

test.each(cases)("an unsubscribe link of $name", async ({ group = "", isAway, workspaceId = "w", asks, says, used }) => {
  let uses = 0;
  const messagingStatus = directClient(MessagingStatusService, {
    openUnsubscribeLink: () => ({ email: "a@b.org", subscriptionGroupId: group, workspaceId }),
    useUnsubscribeLink() {
      uses += 1;
      return {};
    },
  });
  const subscription = directClient(SubscriptionService, {
    listGroups({ scope }) {
      if (isAway) throw new Refusal("SERVICE_UNAVAILABLE");
      return { groups: scope?.workspaceId === "w" ? [{ id: "g", name: "R&D" }, { id: "old", archived: true }] : [] };
    },
  });
  const call = {
    request: { requestId: "r", headers: new Map([["accept" as const, "text/html"]]), query: "", hungUp: new AbortController().signal },
    readBody: () => Promise.resolve(new Uint8Array()),
    params: new Map([["token", "t"]]),
    traceparent: "",
  };
  const deps = { messagingStatus, subscription };
  expect(await shown(handleUnsubscribePage(deps, call))).toContain(asks);
  expect(await shown(handleUnsubscribe(deps, call))).toContain(says);
  expect(uses).toBe(used);
});

async function shown(answer: Promise<{ readonly body: string | Uint8Array }>): Promise<string> {
  return await answer.then(({ body }) => String(body), (error: unknown) => error instanceof Refusal ? error.message : String(error));
}
