/** A record of the intake log as the resolver sees it: one accepted request and where it stands in the order. */
import type { RequestHashes } from "../../../../platform/same-request.ts";
import type { EmailMark, EmailStatus, MembershipState, PhoneMark, TrackObject } from "./track-object.ts";
import type { Alias, UserId, UserKey, UserSelector } from "./user-key.ts";

export interface IntakeRecord {
  /** Place in the partition of the log. */
  readonly sequence: number;
  readonly workspaceId: string;
  readonly requestId: string;
  readonly actor: string;
  /** Unix milliseconds on the clock of the process that took the request. */
  readonly receivedAt: number;
  /** Of the span that appended it; absent where the request is not recorded. */
  readonly traceparent?: string;
  readonly idempotency?: Idempotency;
  readonly body: IntakeBody;
}

export interface Idempotency extends RequestHashes {
  /** Hex of SHA-256 over key owner, route and key. */
  readonly keyHash: string;
  readonly keepMs: number;
  /** The first request's response message in binary, base64. */
  readonly answer: string;
}

export type IntakeBody =
  | { readonly type: "track"; readonly objects: readonly TrackObject[] }
  | { readonly type: "createAliases"; readonly aliases: readonly { readonly externalId?: string; readonly alias: Alias }[] }
  | {
    readonly type: "renameAliases";
    readonly renames: readonly { readonly label: string; readonly oldName: string; readonly newName: string }[];
  }
  | {
    readonly type: "mergeUsers";
    readonly jobId: string;
    readonly updates: readonly { readonly source: UserSelector; readonly target: UserSelector }[];
  }
  | {
    readonly type: "identifyUsers";
    readonly jobId: string;
    readonly identifications: readonly { readonly user: UserSelector; readonly externalId: string }[];
  }
  | { readonly type: "deleteUsers"; readonly users: readonly UserSelector[] }
  | { readonly type: "renameExternalIds"; readonly renames: readonly { readonly current: string; readonly next: string }[] }
  | { readonly type: "removeExternalIds"; readonly externalIds: readonly string[] }
  | { readonly type: "undoMerge"; readonly jobId: string; readonly index: number }
  | { readonly type: "reportSession"; readonly user: UserKey; readonly appId: string; readonly startedAt: number; readonly device?: Device }
  | { readonly type: "reportEngagement"; readonly user: UserKey } & Engagement
  /** An operator lets a rejected user back in. */
  | { readonly type: "admitUser"; readonly user: UserKey }
  | ConsentBody;

export type BodyOf<Type extends IntakeBody["type"]> = Extract<IntakeBody, { type: Type }>;

/** What the services that own consent append. Addresses are normalised. */
export type ConsentBody =
  | { readonly type: "setMemberships"; readonly updates: readonly MembershipUpdate[] }
  | { readonly type: "setEmailStatuses"; readonly emails: readonly string[]; readonly status: EmailStatus }
  | { readonly type: "markEmails"; readonly emails: readonly string[]; readonly mark: EmailMark }
  | { readonly type: "markPhones"; readonly phones: readonly string[]; readonly mark: PhoneMark }
  /** A change of groups by the subscription service, in binary: it takes its place in the order, and only that service interprets it. */
  | { readonly type: "changeGroups"; readonly change: Uint8Array };

/** One state of one group for all users named. */
export interface MembershipUpdate {
  readonly groupId: string;
  readonly state: MembershipState;
  readonly externalIds: readonly string[];
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly userIds: readonly UserId[];
}

export interface Device {
  readonly deviceId: string;
  readonly model: string;
  readonly os: string;
}

export interface Engagement {
  readonly channel: "campaign" | "canvas";
  readonly messageId: string;
  readonly name: string;
  readonly interaction: string;
  readonly at: number;
}
