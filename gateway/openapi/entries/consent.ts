/** DATA: what is written by hand about the routes of subscription groups and of addresses. */
import { limits } from "../../../platform/limits.ts";
import { entriesOf, type Entry, type OwnEntry, type Parameter } from "./entry.ts";
import { list, mapOf, object, oneOfTexts, ref, type Schema, success, text, whole } from "../schemas/schema.ts";
import { oneOrMany } from "../schemas/consent.ts";
import { manyOf, pageParameters } from "./address-parameters.ts";

const group = "11111111-1111-4111-8111-111111111111";
const smsGroup = "22222222-2222-4222-8222-222222222222";
interface Marking {
  readonly summary: string;
  /** Of the example. */
  readonly name: string;
  readonly email: string | readonly string[];
}

const blocklists: Marking = {
  summary: "Unsubscribe addresses and mark them permanently rejected",
  name: "two addresses",
  email: ["hal@example.com", "ivy@example.com"],
};
const ofHal = { name: "one address", email: "hal@example.com" };
const named: readonly Parameter[] = [
  manyOf("external_id", "Users by external id."),
  manyOf("email", "Users by email."),
  manyOf("phone", "Users by phone, E.164."),
];
const namedInBody = {
  external_id: oneOrMany("Users by external id."),
  email: oneOrMany("Users by email."),
  phone: oneOrMany("Users by phone, E.164."),
};
const mostUsers = whole(undefined, { minimum: 1, maximum: limits.userStatusPageMax, default: limits.userStatusPageMax });
const usersToSkip = whole(undefined, { minimum: 0, default: 0 });
const groupStatuses = success({
  status: mapOf(oneOfTexts(["Subscribed", "Unsubscribed", "Unknown"]), "By identifier, as it was sent."),
}, ["status"]);
const userGroups = success({ users: list(ref("UserGroups")), total_count: whole("Users on all pages.") }, ["users", "total_count"]);
const groupsOfAnn = {
  users: [{
    email: "ann@example.com",
    phone: null,
    external_id: "ann",
    subscription_groups: [
      { id: group, name: "Weekly letter", channel: "email", status: "Unsubscribed" },
      { id: smsGroup, name: "Offers", channel: "sms", status: "Subscribed" },
    ],
  }],
  total_count: 1,
  message: "success",
};

function addresses(name: string, time: string): Schema {
  return success({ [name]: list(object({ email: text(), [time]: text("`2026-11-20 10:00:00 +0000`") }, ["email", time])) }, [name]);
}

export const consentEntries = entriesOf({ tag: "Consent", reasons: ["BATCH_TOO_LARGE"] }, [
  {
    route: "POST /subscription/status/set",
    operationId: "setGroupStatus",
    summary: "Subscribe or unsubscribe users of a group",
    description: "Not for profile fields. Somebody unknown is accepted: the state waits for the name.",
    body: object({
      subscription_group_id: text(),
      subscription_state: oneOfTexts(["subscribed", "unsubscribed"]),
      external_id: oneOrMany("Goes with every group."),
      email: oneOrMany("Email groups; changes everybody who shares the address. Not together with `phone`."),
      phone: oneOrMany("All other groups; E.164."),
    }, ["subscription_group_id", "subscription_state"]),
    answer: success(),
    examples: [{
      name: "by external id",
      body: { subscription_group_id: group, subscription_state: "subscribed", external_id: ["ann"] },
      answer: { message: "success" },
    }],
  },
  {
    route: "POST /v2/subscription/status/set",
    operationId: "setGroupStatuses",
    summary: "Subscribe or unsubscribe users of several groups",
    description: "All groups of the request are taken, or none.",
    body: object({ subscription_groups: list(ref("GroupUpdate"), undefined, { minItems: 1, maxItems: limits.itemsPerRequestMax }) }, [
      "subscription_groups",
    ]),
    answer: success(),
    examples: [{
      name: "two groups",
      body: {
        subscription_groups: [
          { subscription_group_id: group, subscription_state: "unsubscribed", emails: ["ann@example.com"] },
          { subscription_group_id: smsGroup, subscription_state: "subscribed", external_ids: ["ann"] },
        ],
      },
      answer: { message: "success" },
    }],
  },
  {
    route: "GET /subscription/status/get",
    operationId: "getGroupStatus",
    summary: "State of users in a group",
    description: "With an `external_id`, an email or phone beside it is not looked at.",
    parameters: [
      { in: "query", name: "subscription_group_id", description: "The group.", required: true, schema: text() },
      ...named,
    ],
    answer: groupStatuses,
    examples: [{
      name: "two users",
      parameters: { subscription_group_id: group, external_id: ["ann", "nobody"] },
      answer: { status: { ann: "Unsubscribed", nobody: "Unknown" }, message: "success" },
    }],
  },
  {
    route: "POST /subscription/status/get",
    operationId: "getGroupStatusByBody",
    summary: "State of users in a group, for names too long for a query",
    description: "As the GET, with the names in the body: the head of a request has 64 KiB.",
    extension: true,
    body: object({ subscription_group_id: text(), ...namedInBody }, ["subscription_group_id"]),
    answer: groupStatuses,
    examples: [{
      name: "two users",
      body: { subscription_group_id: group, external_id: ["ann", "nobody"] },
      answer: { status: { ann: "Unsubscribed", nobody: "Unknown" }, message: "success" },
    }],
  },
  {
    route: "GET /subscription/user/status",
    operationId: "getUserGroups",
    summary: "All groups of users",
    description: "Users who share an address stand apart; somebody unknown is left out.",
    parameters: [
      ...named,
      { in: "query", name: "limit", description: "Most users.", schema: mostUsers },
      { in: "query", name: "offset", description: "Users to skip.", schema: usersToSkip },
    ],
    answer: userGroups,
    examples: [{ name: "by external id", parameters: { external_id: ["ann"] }, answer: groupsOfAnn }],
  },
  {
    route: "POST /subscription/user/status",
    operationId: "getUserGroupsByBody",
    summary: "All groups of users, for names too long for a query",
    description: "As the GET, with the names in the body: the head of a request has 64 KiB.",
    extension: true,
    body: object({ ...namedInBody, limit: mostUsers, offset: usersToSkip }),
    answer: userGroups,
    examples: [{ name: "by external id", body: { external_id: "ann" }, answer: groupsOfAnn }],
  },
  {
    route: "POST /email/status",
    operationId: "setEmailStatus",
    summary: "Set the status of email addresses",
    description: "Also of addresses that nobody has yet.",
    body: object({ email: oneOrMany("Addresses."), subscription_state: oneOfTexts(["opted_in", "subscribed", "unsubscribed"]) }, [
      "email",
      "subscription_state",
    ]),
    answer: success(),
    examples: [{
      name: "unsubscribe",
      body: { email: "gil@example.com", subscription_state: "unsubscribed" },
      answer: { message: "success" },
    }],
  },
  marking("POST /email/blocklist", "blocklistEmails", blocklists),
  marking("POST /email/blacklist", "blacklistEmails", { ...blocklists, summary: "The older path of /email/blocklist" }),
  marking("POST /email/bounce/remove", "removeBounces", { summary: "Lift the rejected mark of addresses", ...ofHal }),
  marking("POST /email/spam/remove", "removeSpamMarks", { summary: "Lift the spam mark of addresses", ...ofHal }),
  {
    route: "GET /email/unsubscribes",
    operationId: "listUnsubscribes",
    summary: "Addresses that are unsubscribed",
    parameters: [
      ...pageParameters,
      {
        in: "query",
        name: "sort_direction",
        description: "By time.",
        schema: oneOfTexts(["asc", "desc"], undefined, { default: "desc" }),
      },
      manyOf("email", "Addresses, instead of dates."),
    ],
    answer: addresses("emails", "unsubscribed_at"),
    examples: [{
      name: "by address",
      parameters: { email: ["gil@example.com"] },
      answer: { emails: [{ email: "gil@example.com", unsubscribed_at: "2026-11-20 10:00:00 +0000" }], message: "success" },
    }],
  },
  {
    route: "GET /email/hard_bounces",
    operationId: "listHardBounces",
    summary: "Addresses that are permanently rejected",
    description: "Newest first. Blocklisted addresses count.",
    parameters: [...pageParameters, manyOf("email", "Addresses, instead of dates.")],
    answer: addresses("emails", "hard_bounced_at"),
    examples: [{
      name: "by address",
      parameters: { email: ["ivy@example.com"] },
      answer: { emails: [{ email: "ivy@example.com", hard_bounced_at: "2026-11-20 10:00:00 +0000" }], message: "success" },
    }],
  },
  {
    route: "GET /sms/invalid_phone_numbers",
    operationId: "listInvalidPhones",
    summary: "Phone numbers that take no messages",
    description: "Newest first.",
    parameters: [...pageParameters, manyOf("phone_numbers", "Numbers, instead of dates.")],
    answer: success({
      sms: list(object({ phone: text(), invalid_detected_at: text(), reason: oneOfTexts(["provider_error", "deactivated"]) }, [
        "phone",
        "invalid_detected_at",
        "reason",
      ])),
    }, ["sms"]),
    examples: [{
      name: "by date",
      parameters: { start_date: "2026-11-01", end_date: "2026-12-01" },
      answer: { sms: [], message: "success" },
    }],
  },
  {
    route: "POST /sms/invalid_phone_numbers/remove",
    operationId: "removeInvalidPhones",
    summary: "Let phone numbers be tried again",
    body: object({
      phone_numbers: list(text("E.164; digits without a plus are taken too."), undefined, {
        minItems: 1,
        maxItems: limits.itemsPerRequestMax,
      }),
    }, [
      "phone_numbers",
    ]),
    answer: success(),
    examples: [{ name: "one number", body: { phone_numbers: ["+12125550123"] }, answer: { message: "success" } }],
  },
]);

function marking(route: Entry["route"], operationId: string, { summary, name, email }: Marking): OwnEntry {
  const examples = [{ name, body: { email }, answer: { message: "success" } }];
  return { route, operationId, summary, body: object({ email: oneOrMany("Addresses.") }, ["email"]), answer: success(), examples };
}
