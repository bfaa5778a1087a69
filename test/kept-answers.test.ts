/** How long an answer is kept for its Idempotency-Key: 7 days for tracking, 24 hours for the rest, to the millisecond. */
import { afterEach, expect, test } from "vitest";
import { EmailMark, EmailStatus, PhoneMark, SubscriptionState } from "../proto/gen/heddle/lane/v1/lane_pb.ts";
import { MessagingStatusService } from "../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { SubscriptionService } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { type ConsentParts, openConsentParts, scope } from "./consent-parts.ts";

let parts: ConsentParts | undefined;
afterEach(async () => {
  await parts?.close();
  parts = undefined;
});

const day = 24 * 3600 * 1000;

/** With a key of its own for each kind of call, as each is a route. */
function asked(call: string) {
  return { ...scope, idempotencyKey: call };
}

/** The request about `name`: another name is another body. */
type Call = (parts: ConsentParts, name: string) => Promise<{ readonly replayed: boolean }>;

function attributes(call: string, external_id: string) {
  return { scope: asked(call), bodyJson: Buffer.from(JSON.stringify({ attributes: [{ external_id, a: 1 }] })) };
}

function user(value: string) {
  return { key: { key: { case: "externalId" as const, value } } };
}

/** Undoes a merge that was made for it, the same one each time it is asked. */
function undo(): Call {
  const jobs = new Map<string, string>();
  return async ({ profile, track }, name) => {
    if (!jobs.has(name)) {
      await track([{ external_id: name, a: 1 }, { external_id: `${name} too`, a: 2 }]);
      jobs.set(name, (await profile.mergeUsers({ scope, updates: [{ source: user(name), target: user(`${name} too`) }] })).jobId);
    }
    return await profile.undoMerge({ scope: asked("UndoMerge"), jobId: jobs.get(name) ?? "", index: 0 });
  };
}

const state = SubscriptionState.SUBSCRIBED;

const phones: Readonly<Record<string, string>> = { a: "+12125550123", b: "+12125550124" };

const tracking: Readonly<Record<string, Call>> = {
  TrackUsers: ({ profile }, name) => profile.trackUsers(attributes("TrackUsers", name)),
  TrackUsersSync: ({ profile }, name) => profile.trackUsersSync(attributes("TrackUsersSync", name)),
};

const others: Readonly<Record<string, Call>> = {
  CreateAliases: ({ profile }, name) =>
    profile.createAliases({ scope: asked("CreateAliases"), aliases: [{ alias: { label: "l", name } }] }),
  UpdateAliases: ({ profile }, name) =>
    profile.updateAliases({ scope: asked("UpdateAliases"), renames: [{ label: "l", oldName: name, newName: "n" }] }),
  MergeUsers: ({ profile }, name) =>
    profile.mergeUsers({ scope: asked("MergeUsers"), updates: [{ source: user(`no ${name}`), target: user("t") }] }),
  UndoMerge: undo(),
  AdmitUser: async ({ profile, track }, name) => {
    await track([{ external_id: `big ${name}`, a: 1 }]);
    return await profile.admitUser({ scope: asked("AdmitUser"), user: user(`big ${name}`).key });
  },
  IdentifyUsers: ({ profile }, name) => {
    const alias = { key: { key: { case: "alias" as const, value: { label: "l", name } } } };
    return profile.identifyUsers({ scope: asked("IdentifyUsers"), identifications: [{ user: alias, externalId: "e" }] });
  },
  DeleteUsers: ({ profile }, name) => profile.deleteUsers({ scope: asked("DeleteUsers"), users: [user(`no ${name}`)] }),
  RenameExternalIds: ({ profile }, name) => {
    const renames = [{ currentExternalId: `no ${name}`, newExternalId: "n" }];
    return profile.renameExternalIds({ scope: asked("RenameExternalIds"), renames });
  },
  RemoveExternalIds: ({ profile }, name) => profile.removeExternalIds({ scope: asked("RemoveExternalIds"), externalIds: [`no ${name}`] }),
  SetStatus: ({ subscription }, name) => {
    const updates = [{ subscriptionGroupId: "letter", state, externalIds: [name] }];
    return subscription.setStatus({ scope: asked("SetStatus"), updates });
  },
  SetEmailStatus: ({ messagingStatus }, name) =>
    messagingStatus.setEmailStatus({ ...emails("SetEmailStatus", name), status: EmailStatus.UNSUBSCRIBED }),
  MarkEmails: ({ messagingStatus }, name) => messagingStatus.markEmails({ ...emails("MarkEmails", name), mark: EmailMark.BOUNCE_REMOVED }),
  RemoveInvalidPhones: ({ messagingStatus }, name) => messagingStatus.removeInvalidPhones(phonesOf("RemoveInvalidPhones", name)),
  ReportBounce: ({ messagingStatus }, name) => messagingStatus.reportBounce(emails("ReportBounce", name)),
  ReportSpam: ({ messagingStatus }, name) => messagingStatus.reportSpam(emails("ReportSpam", name)),
  ReportInvalidPhone: ({ messagingStatus }, name) =>
    messagingStatus.reportInvalidPhone({ ...phonesOf("ReportInvalidPhone", name), reason: PhoneMark.DEACTIVATED }),
};

function emails(call: string, name: string) {
  return { scope: asked(call), emails: [`${name}@example.com`] };
}

function phonesOf(call: string, name: string) {
  return { scope: asked(call), phones: [phones[name] ?? ""] };
}

test("every call whose answer says whether it is a repeat is here", () => {
  const services = [ProfileService, SubscriptionService, MessagingStatusService];
  const keyed = services.flatMap(({ methods }) => methods.filter(({ output }) => output.fields.some(({ name }) => name === "replayed")));
  expect(keyed.map(({ name }) => name).toSorted()).toEqual(Object.keys({ ...tracking, ...others }).toSorted());
});

test.each([["tracking", 7 * day, tracking], ["the rest", day, others]] as const)("%s: kept %i ms", async (_what, keptMs, calls) => {
  parts = await openConsentParts();
  const open = parts;
  const entries = Object.entries(calls);
  for (const [name, call] of entries) expect([name, (await call(open, "a")).replayed]).toEqual([name, false]);
  open.clock.advance(keptMs - 1);
  for (const [name, call] of entries) {
    expect([name, (await call(open, "a")).replayed]).toEqual([name, true]);
    await expect(call(open, "b"), name).rejects.toMatchObject({ reason: "IDEMPOTENCY_KEY_REUSED" });
  }
  open.clock.advance(1);
  for (const [name, call] of entries) expect([name, (await call(open, "b")).replayed]).toEqual([name, false]);
});
