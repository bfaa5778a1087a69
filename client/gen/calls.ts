/** Generated from the OpenAPI document by `npm run reference`: every call of the API with what it takes and gives. */

export type Error = {
  /** What went wrong, for a person. Programs read the header X-Heddle-Reason. */
  readonly message: string;
  /** The text again, where the body was not valid JSON. */
  readonly error?: string;
  /** Details: one entry for each object that was not taken (`ObjectError`), or texts. Without any, /users/track and its variants repeat `message` here, but with 401, and the routes of translations have it as `{message}`. */
  readonly errors?: readonly unknown[];
  /** With a 500: the id under which the fault was logged. */
  readonly request_id?: string;
};

export type ObjectError = {
  /** Why the object, or the field, was not taken. */
  readonly type: string;
  /** The array of the request that holds it. */
  readonly input_array: string;
  /** Its place in that array, from 0. */
  readonly index: number;
  /** There where the object was taken, and counted: the field of it that was not. An error without it is of an object that was not. */
  readonly field?: string;
  /** The list that `index` counts in, where `input_array` is the same for several that were sent. */
  readonly list?: string;
};

export type ScimError = {
  readonly schemas: readonly string[];
  /** The kind of error of RFC 7644, table 9. */
  readonly scimType?: string;
  /** What went wrong, for a person. */
  readonly detail: string;
  /** The status of the answer, as a number. */
  readonly status: number;
};

/** Heddle's own id of the user: 24 hexadecimal digits. */
export type PlatformId = string;

export type UserAlias = {
  readonly alias_name: string;
  readonly alias_label: string;
};

/** One identifier, standard fields, and custom attributes under any other name: a value, `null` to remove it, `{inc}` for numbers, `{add}` and `{remove}` for arrays, `{$add}`, `{$update}`, `{$remove}` for arrays of objects. */
export type Attributes = {
  /** Your id of the user, at most 987 bytes. Numbers are taken as text. */
  readonly external_id?: string | number;
  readonly user_alias?: UserAlias;
  readonly platform_id?: PlatformId;
  readonly braze_id?: PlatformId;
  /** Names the user where no other identifier but `phone` is there; else it is a field of the profile. */
  readonly email?: string | null;
  /** As `email`, which wins over it. E.164. */
  readonly phone?: string | null;
  /** With `user_alias` the default is true: send false to create a user of the alias alone. */
  readonly _update_existing_only?: boolean;
  /** Merges nested objects instead of replacing them. false unless given. */
  readonly _merge_objects?: boolean;
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string | null;
  readonly home_city?: string | null;
  /** ISO 639-1. */
  readonly language?: string | null;
  /** `YYYY-MM-DD` */
  readonly dob?: string | null;
  readonly gender?: "M" | "F" | "O" | "N" | "P" | null;
  /** IANA name. */
  readonly time_zone?: string | null;
  /** Also changes everybody who shares the user's email. */
  readonly email_subscribe?: "opted_in" | "subscribed" | "unsubscribed";
  readonly push_subscribe?: "opted_in" | "subscribed" | "unsubscribed" | null;
  /** Also changes everybody who shares the user's email. */
  readonly subscription_groups?: readonly ({
    readonly subscription_group_id: string;
    readonly subscription_state: "subscribed" | "unsubscribed";
  })[];
  readonly [name: string]: unknown;
};

export type Event = {
  /** Your id of the user, at most 987 bytes. Numbers are taken as text. */
  readonly external_id?: string | number;
  readonly user_alias?: UserAlias;
  readonly platform_id?: PlatformId;
  readonly braze_id?: PlatformId;
  /** Names the user where no other identifier but `phone` is there; else it is a field of the profile. */
  readonly email?: string;
  /** As `email`, which wins over it. E.164. */
  readonly phone?: string;
  readonly app_id?: string;
  readonly name: string;
  /** ISO 8601 in any form that can be read in one way only, also basic (`20240101T000000Z`), week and ordinal dates, hours alone, 24:00 and leap seconds; or `yyyy-MM-ddTHH:mm:ss:SSSZ`, `MM/dd/yyyy`. No zone is UTC. What lies in the future becomes now. */
  readonly time: string;
  readonly properties?: Properties;
  /** Changes users that exist and makes no new one. */
  readonly _update_existing_only?: boolean;
};

export type Purchase = {
  /** Your id of the user, at most 987 bytes. Numbers are taken as text. */
  readonly external_id?: string | number;
  readonly user_alias?: UserAlias;
  readonly platform_id?: PlatformId;
  readonly braze_id?: PlatformId;
  /** Names the user where no other identifier but `phone` is there; else it is a field of the profile. */
  readonly email?: string;
  /** As `email`, which wins over it. E.164. */
  readonly phone?: string;
  readonly app_id?: string;
  readonly product_id: string | number;
  /** ISO 4217 code. */
  readonly currency: string;
  /** Revenue is price x quantity, rounded to cents. */
  readonly price: number;
  /** 1 unless given. */
  readonly quantity?: number;
  /** ISO 8601 in any form that can be read in one way only, also basic (`20240101T000000Z`), week and ordinal dates, hours alone, 24:00 and leap seconds; or `yyyy-MM-ddTHH:mm:ss:SSSZ`, `MM/dd/yyyy`. No zone is UTC. What lies in the future becomes now. */
  readonly time: string;
  readonly properties?: Properties;
  /** Changes users that exist and makes no new one. */
  readonly _update_existing_only?: boolean;
};

/** Names of 1 to 254 characters that do not begin with `$`; with arrays or objects at most 50 KB. */
export type Properties = {
  readonly [name: string]: unknown;
};

/** At least one object in one of the arrays. Attributes are applied first, then events, then purchases. */
export type TrackBody = {
  readonly attributes?: readonly Attributes[];
  readonly events?: readonly Event[];
  readonly purchases?: readonly Purchase[];
};

/** At least one object in one of the arrays. Attributes are applied first, then events, then purchases. */
export type TrackBulkBody = {
  readonly attributes?: readonly Attributes[];
  readonly events?: readonly Event[];
  readonly purchases?: readonly Purchase[];
};

export type ExportedUser = {
  readonly external_id?: string;
  readonly platform_id?: PlatformId;
  readonly braze_id?: PlatformId;
  readonly created_at?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly user_aliases?: readonly UserAlias[];
  /** US dollars: those sent, and other currencies for which the workspace declares a rate. */
  readonly total_revenue?: number;
  readonly custom_attributes?: {
    readonly [name: string]: unknown;
  };
  readonly custom_events?: readonly Summary[];
  readonly purchases?: readonly Summary[];
  readonly [name: string]: unknown;
};

export type SyncedUser = {
  readonly external_id?: string;
  readonly custom_attributes: {
    readonly [name: string]: unknown;
  };
  readonly custom_events: readonly Summary[];
  readonly purchase_events: readonly ({
    readonly product_id?: string;
    readonly first?: string;
    readonly last?: string;
    readonly count?: number;
  })[];
  readonly [name: string]: unknown;
};

export type Summary = {
  readonly name: string;
  /** The earliest time. */
  readonly first: string;
  /** The latest time. */
  readonly last: string;
  readonly count: number;
};

/** Exactly one of the four; `email` and `phone` need `prioritization`. */
export type MergeIdentifier = {
  readonly external_id?: string;
  readonly user_alias?: UserAlias;
  readonly email?: string;
  readonly phone?: string;
  readonly prioritization?: Prioritization;
};

/** How to choose among users who share the address, in order. */
export type Prioritization = readonly ("identified" | "unidentified" | "most_recently_updated" | "least_recently_updated")[];

export type MergeUpdate = {
  readonly identifier_to_merge: MergeIdentifier;
  readonly identifier_to_keep: MergeIdentifier;
};

export type MergeOutcome = {
  /** The place of the update in its request. */
  readonly index: number;
  readonly status: "merged" | "identified" | "not_merged" | "undone" | "undo_refused";
  /** Why nothing was merged. */
  readonly reason?: string;
  readonly merged_platform_id?: PlatformId;
  readonly kept_platform_id?: PlatformId;
  /** Until when it can be taken back. */
  readonly undo_until?: string;
};

export type GroupUpdate = {
  readonly subscription_group_id: string;
  readonly subscription_state: "subscribed" | "unsubscribed";
  /** Goes with every group. */
  readonly external_ids?: string | readonly string[];
  /** Email groups; changes everybody who shares the address. Not together with `phones`. */
  readonly emails?: string | readonly string[];
  /** All other groups; E.164. */
  readonly phones?: string | readonly string[];
};

export type UserGroups = {
  readonly email: string | null;
  readonly phone: string | null;
  readonly external_id: string | null;
  readonly subscription_groups: readonly ({
    readonly id: string;
    readonly name: string;
    readonly channel: "email" | "sms" | "whatsapp" | "rcs" | "line";
    readonly status: "Subscribed" | "Unsubscribed";
  })[];
};

export type ScimNewUser = {
  /** Holds `urn:ietf:params:scim:schemas:core:2.0:User`. */
  readonly schemas: readonly string[];
  /** The email address; it cannot change. */
  readonly userName: string;
  readonly name: {
    readonly givenName: string;
    readonly familyName: string;
  };
  readonly department: "agency" | "bi" | "c_suite" | "engineering" | "finance" | "marketing" | "pm";
  readonly permissions: ScimPermissions;
  /** An inactive user stays and cannot sign in. true unless given. */
  readonly active?: boolean;
  /** The identity provider's own id. */
  readonly externalId?: string;
  /** The name as the person likes to be shown. */
  readonly displayName?: string;
  /** Addresses as the identity provider sent them; the account's own is `userName`. */
  readonly emails?: readonly ({
    readonly value: string;
    readonly display?: string;
    readonly type?: string;
    readonly primary?: boolean;
  })[];
};

export type ScimReplacedUser = {
  /** Holds `urn:ietf:params:scim:schemas:core:2.0:User`. */
  readonly schemas: readonly string[];
  /** The email address; it cannot change. */
  readonly userName?: string;
  readonly name: {
    readonly givenName: string;
    readonly familyName: string;
  };
  readonly department: "agency" | "bi" | "c_suite" | "engineering" | "finance" | "marketing" | "pm";
  readonly permissions?: ScimPermissions;
  /** An inactive user stays and cannot sign in. */
  readonly active?: boolean;
  /** The identity provider's own id. */
  readonly externalId?: string;
  /** The name as the person likes to be shown. */
  readonly displayName?: string;
  /** Addresses as the identity provider sent them; the account's own is `userName`. */
  readonly emails?: readonly ({
    readonly value: string;
    readonly display?: string;
    readonly type?: string;
    readonly primary?: boolean;
  })[];
};

export type ScimUser = {
  /** Holds `urn:ietf:params:scim:schemas:core:2.0:User`. */
  readonly schemas?: readonly string[];
  /** The email address; it cannot change. */
  readonly userName?: string;
  readonly name?: {
    readonly givenName?: string;
    readonly familyName?: string;
  };
  readonly department?: "agency" | "bi" | "c_suite" | "engineering" | "finance" | "marketing" | "pm";
  readonly permissions?: ScimPermissions;
  /** An inactive user stays and cannot sign in. */
  readonly active?: boolean;
  /** The identity provider's own id. */
  readonly externalId?: string;
  /** The name as the person likes to be shown. */
  readonly displayName?: string;
  /** Addresses as the identity provider sent them; the account's own is `userName`. */
  readonly emails?: readonly ({
    readonly value?: string;
    readonly display?: string;
    readonly type?: string;
    readonly primary?: boolean;
  })[];
  /** Given out by Heddle; names the user in the path. */
  readonly id: string;
  /** `Thursday, January 1, 1970 12:00:00 AM` stands for never. */
  readonly lastSignInAt?: string;
  readonly meta?: {
    readonly resourceType?: string;
    readonly created?: string;
    readonly lastModified?: string;
    readonly location?: string;
    readonly version?: string;
  };
};

export type ScimPermissions = {
  /** `admin`, `manage_company_settings`, `add_remove_app_groups` */
  readonly companyPermissions?: readonly string[];
  readonly appGroup?: readonly ({
    /** The workspace, or its `appGroupId`. */
    readonly appGroupName?: string;
    readonly appGroupId?: string;
    readonly appGroupPermissions?: readonly string[];
    readonly appGroupPermissionSets?: readonly ({
      readonly appGroupPermissionSetName?: string;
      readonly appGroupPermissionSetID?: string;
    })[];
    readonly team?: readonly ({
      readonly teamName?: string;
      readonly teamId?: string;
      readonly teamPermissions?: readonly string[];
    })[];
  })[];
};

export type ScimUsers = {
  readonly schemas: readonly string[];
  readonly totalResults: number;
  readonly startIndex?: number;
  readonly itemsPerPage?: number;
  /** Without `schemas`. */
  readonly Resources: readonly ScimUser[];
};

export type ScimSearch = {
  /** Holds `urn:ietf:params:scim:api:messages:2.0:SearchRequest`. */
  readonly schemas: readonly string[];
  /** At most 4096 bytes: `userName eq "ann@example.com"`. */
  readonly filter?: string;
  /** From 1. */
  readonly startIndex?: number;
  /** At most 200, 100 unless given. */
  readonly count?: number;
  readonly sortBy?: string;
  readonly sortOrder?: "ascending" | "descending";
  readonly attributes?: readonly string[];
  readonly excludedAttributes?: readonly string[];
};

export type ScimPatch = {
  /** Holds `urn:ietf:params:scim:api:messages:2.0:PatchOp`. */
  readonly schemas: readonly string[];
  readonly Operations: readonly ({
    /** `add`, `replace` or `remove`, in any case. */
    readonly op: string;
    readonly path?: string;
    readonly value?: unknown;
  })[];
};

export type ScimDocument = {
  readonly schemas?: readonly string[];
  readonly [name: string]: unknown;
};

/** Of X-Heddle-Reason: stable for ever, and more may come. */
export type Reason =
  | "ADDRESS_NOT_ALLOWED"
  | "ALREADY_EXISTS"
  | "ATTRIBUTE_READ_ONLY"
  | "BATCH_TOO_LARGE"
  | "BEHIND"
  | "BODY_KEY_REPEATED"
  | "BODY_NOT_DECODED"
  | "BODY_NOT_JSON"
  | "BODY_NOT_UTF8"
  | "BODY_SHAPE_INVALID"
  | "BODY_TOO_DEEP"
  | "BODY_TOO_LARGE"
  | "BODY_TOO_WIDE"
  | "CONTENT_TYPE_UNSUPPORTED"
  | "DEADLINE_EXCEEDED"
  | "EPOCH_MISMATCH"
  | "EXPECTATION_FAILED"
  | "FEATURE_NOT_ENABLED"
  | "FILTER_INVALID"
  | "HEADERS_TOO_LARGE"
  | "IDEMPOTENCY_KEY_INVALID"
  | "IDEMPOTENCY_KEY_REUSED"
  | "INPUT_INVALID"
  | "KEY_INVALID"
  | "KEY_IN_WRONG_PLACE"
  | "KEY_MISSING"
  | "LOG_FULL"
  | "LOG_UNAVAILABLE"
  | "NOTHING_VALID"
  | "NOT_FOUND"
  | "NOT_IMPLEMENTED"
  | "ORIGIN_NOT_ALLOWED"
  | "OUTCOME_UNKNOWN"
  | "OVERLOADED"
  | "PARTLY_DONE"
  | "PATH_INVALID"
  | "PERMISSION_MISSING"
  | "POSITION_INVALID"
  | "RATE_LIMITED"
  | "REQUEST_MALFORMED"
  | "REQUEST_TIMEOUT"
  | "ROUTE_UNKNOWN"
  | "SERVICE_UNAVAILABLE"
  | "SHUTTING_DOWN"
  | "STATE_CONFLICT"
  | "STORE_UNAVAILABLE"
  | "TARGET_MISSING"
  | "TOO_MANY_RESULTS"
  | "VERSION_MISMATCH";

/** By the name of the call (operationId). */
export interface Calls {
  /** POST /users/track: Record attributes, events and purchases. A write. */
  readonly trackUsers: {
    readonly body: TrackBody;
    readonly answer: {
      readonly attributes_processed?: number;
      readonly events_processed?: number;
      readonly purchases_processed?: number;
      /** What was not taken; everything else was. Each thing that is wrong with an object that was not taken, and each field (`field`) of one that was, 10 of an object at most. */
      readonly errors?: readonly ObjectError[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "NOTHING_VALID"
      | "BEHIND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /users/track/sync: Record one object and read the user. A write. */
  readonly trackUsersSync: {
    readonly body: TrackBody;
    readonly answer: {
      readonly users: readonly SyncedUser[];
      /** What was not taken; everything else was. Each thing that is wrong with an object that was not taken, and each field (`field`) of one that was, 10 of an object at most. */
      readonly errors?: readonly ObjectError[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "NOTHING_VALID"
      | "BEHIND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /users/track/bulk: Record many objects with low priority. A write. */
  readonly trackUsersBulk: {
    readonly body: TrackBulkBody;
    readonly answer: {
      readonly attributes_processed?: number;
      readonly events_processed?: number;
      readonly purchases_processed?: number;
      /** What was not taken; everything else was. Each thing that is wrong with an object that was not taken, and each field (`field`) of one that was, 10 of an object at most. */
      readonly errors?: readonly ObjectError[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "NOTHING_VALID"
      | "BEHIND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /users/export/ids: Read users. */
  readonly exportUsers: {
    readonly body: {
      readonly external_ids?: readonly (string | number)[];
      readonly user_aliases?: readonly UserAlias[];
      readonly braze_id?: PlatformId | readonly PlatformId[];
      readonly platform_id?: PlatformId | readonly PlatformId[];
      readonly device_id?: string;
      readonly email_address?: string;
      readonly phone?: string;
      /** Names of fields, also `custom_events_daily`, `purchases_daily`, `revenue_by_currency`, `purchase_count`, `updated_at` and `appboy_id` (the former name of `braze_id`), which are given only when named. */
      readonly fields_to_export?: readonly string[];
    };
    readonly answer: {
      readonly users: readonly ExportedUser[];
      /** Names that nobody has, as they were sent. */
      readonly invalid_user_ids?: readonly unknown[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /users/alias/new: Create aliases. A write. */
  readonly createAliases: {
    readonly body: {
      readonly user_aliases: readonly ({
        readonly external_id?: string;
        readonly alias_label: string;
        readonly alias_name: string;
      })[];
    };
    readonly answer: {
      readonly aliases_processed: number;
      /** What was not taken; everything else was. Each thing that is wrong with an object that was not taken, and each field (`field`) of one that was, 10 of an object at most. */
      readonly errors?: readonly ObjectError[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "NOTHING_VALID"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /users/alias/update: Rename aliases. A write. */
  readonly updateAliases: {
    readonly body: {
      readonly alias_updates: readonly ({
        readonly alias_label: string;
        readonly old_alias_name: string;
        readonly new_alias_name: string;
      })[];
    };
    readonly answer: {
      /** What was not taken; everything else was. Each thing that is wrong with an object that was not taken, and each field (`field`) of one that was, 10 of an object at most. */
      readonly errors?: readonly ObjectError[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /users/identify: Give users of an alias, email or phone an external_id. A write. */
  readonly identifyUsers: {
    readonly body: {
      readonly aliases_to_identify?: readonly ({
        readonly external_id: string;
        readonly user_alias: UserAlias;
      })[];
      readonly emails_to_identify?: readonly ({
        readonly external_id: string;
        readonly email: string;
        readonly prioritization: Prioritization;
      })[];
      readonly phone_numbers_to_identify?: readonly ({
        readonly external_id: string;
        readonly phone: string;
        readonly prioritization: Prioritization;
      })[];
      /** Accepted and not looked at. */
      readonly merge_behavior?: string;
    };
    readonly answer: {
      readonly aliases_processed?: number;
      readonly emails_processed?: number;
      readonly phone_numbers_processed?: number;
      /** Asks `GET /users/merge/status/{id}` what came of it. */
      readonly job_id?: string;
      /** What was not taken; everything else was. Each thing that is wrong with an object that was not taken, and each field (`field`) of one that was, 10 of an object at most. */
      readonly errors?: readonly ObjectError[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /users/external_ids/rename: Rename external ids. A write. */
  readonly renameExternalIds: {
    readonly body: {
      readonly external_id_renames: readonly ({
        readonly current_external_id: string;
        readonly new_external_id: string;
      })[];
    };
    readonly answer: {
      readonly external_ids: readonly ({
        readonly [name: string]: string;
      })[];
      /** `[place in the request, text]` */
      readonly rename_errors: readonly (readonly [number, string])[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /users/external_ids/remove: Remove deprecated external ids. A write. */
  readonly removeExternalIds: {
    readonly body: {
      readonly external_ids: readonly string[];
    };
    readonly answer: {
      readonly removed_ids: readonly string[];
      /** `[place in the request, text]` */
      readonly removal_errors: readonly (readonly [number, string])[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /users/merge/preview: See what a merge would make. */
  readonly previewMerge: {
    readonly body: {
      readonly merge_updates: readonly MergeUpdate[];
    };
    readonly answer: {
      readonly would_merge: boolean;
      readonly user?: ExportedUser;
      /** Why nothing would happen. */
      readonly reason?: string;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /users/merge: Merge users. A write. */
  readonly mergeUsers: {
    readonly body: {
      readonly merge_updates: readonly MergeUpdate[];
    };
    readonly answer: {
      /** Asks `GET /users/merge/status/{id}` what came of it. */
      readonly job_id: string;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /users/merge/status/:id: What came of a merge. */
  readonly getMergeStatus: {
    readonly path: {
      readonly id: string;
    };
    readonly answer: {
      readonly job_id: string;
      readonly merge_updates: readonly MergeOutcome[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /users/merge/undo: Take a merge back. A write. */
  readonly undoMerge: {
    readonly body: {
      readonly job_id: string;
      /** The place of the update in its request. 0 unless given. */
      readonly index?: number;
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "STATE_CONFLICT"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /users/delete: Erase users. A write. */
  readonly deleteUsers: {
    readonly body: {
      readonly external_ids?: readonly (string | number)[];
      readonly user_aliases?: readonly UserAlias[];
      readonly braze_ids?: readonly PlatformId[];
      readonly platform_ids?: readonly PlatformId[];
      readonly email_addresses?: readonly ({
        readonly email: string;
        readonly prioritization: Prioritization;
      })[];
      readonly phone_numbers?: readonly ({
        readonly phone: string;
        readonly prioritization: Prioritization;
      })[];
    };
    readonly answer: {
      /** Ids that were queued. */
      readonly deleted: number;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /subscription/status/set: Subscribe or unsubscribe users of a group. A write. */
  readonly setGroupStatus: {
    readonly body: {
      readonly subscription_group_id: string;
      readonly subscription_state: "subscribed" | "unsubscribed";
      /** Goes with every group. */
      readonly external_id?: string | readonly string[];
      /** Email groups; changes everybody who shares the address. Not together with `phone`. */
      readonly email?: string | readonly string[];
      /** All other groups; E.164. */
      readonly phone?: string | readonly string[];
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /v2/subscription/status/set: Subscribe or unsubscribe users of several groups. A write. */
  readonly setGroupStatuses: {
    readonly body: {
      readonly subscription_groups: readonly GroupUpdate[];
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /subscription/status/get: State of users in a group. */
  readonly getGroupStatus: {
    readonly query: {
      readonly subscription_group_id: string;
      readonly external_id?: string | readonly string[];
      readonly email?: string | readonly string[];
      readonly phone?: string | readonly string[];
    };
    readonly answer: {
      /** By identifier, as it was sent. */
      readonly status: {
        readonly [name: string]: "Subscribed" | "Unsubscribed" | "Unknown";
      };
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /subscription/status/get: State of users in a group, for names too long for a query. */
  readonly getGroupStatusByBody: {
    readonly body: {
      readonly subscription_group_id: string;
      /** Users by external id. */
      readonly external_id?: string | readonly string[];
      /** Users by email. */
      readonly email?: string | readonly string[];
      /** Users by phone, E.164. */
      readonly phone?: string | readonly string[];
    };
    readonly answer: {
      /** By identifier, as it was sent. */
      readonly status: {
        readonly [name: string]: "Subscribed" | "Unsubscribed" | "Unknown";
      };
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /subscription/user/status: All groups of users. */
  readonly getUserGroups: {
    readonly query?: {
      readonly external_id?: string | readonly string[];
      readonly email?: string | readonly string[];
      readonly phone?: string | readonly string[];
      readonly limit?: number;
      readonly offset?: number;
    };
    readonly answer: {
      readonly users: readonly UserGroups[];
      /** Users on all pages. */
      readonly total_count: number;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /subscription/user/status: All groups of users, for names too long for a query. */
  readonly getUserGroupsByBody: {
    readonly body: {
      /** Users by external id. */
      readonly external_id?: string | readonly string[];
      /** Users by email. */
      readonly email?: string | readonly string[];
      /** Users by phone, E.164. */
      readonly phone?: string | readonly string[];
      /** 100 unless given. */
      readonly limit?: number;
      /** 0 unless given. */
      readonly offset?: number;
    };
    readonly answer: {
      readonly users: readonly UserGroups[];
      /** Users on all pages. */
      readonly total_count: number;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /email/status: Set the status of email addresses. A write. */
  readonly setEmailStatus: {
    readonly body: {
      /** Addresses. */
      readonly email: string | readonly string[];
      readonly subscription_state: "opted_in" | "subscribed" | "unsubscribed";
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /email/blocklist: Unsubscribe addresses and mark them permanently rejected. A write. */
  readonly blocklistEmails: {
    readonly body: {
      /** Addresses. */
      readonly email: string | readonly string[];
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /email/blacklist: The older path of /email/blocklist. A write. */
  readonly blacklistEmails: {
    readonly body: {
      /** Addresses. */
      readonly email: string | readonly string[];
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /email/bounce/remove: Lift the rejected mark of addresses. A write. */
  readonly removeBounces: {
    readonly body: {
      /** Addresses. */
      readonly email: string | readonly string[];
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /email/spam/remove: Lift the spam mark of addresses. A write. */
  readonly removeSpamMarks: {
    readonly body: {
      /** Addresses. */
      readonly email: string | readonly string[];
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /email/unsubscribes: Addresses that are unsubscribed. */
  readonly listUnsubscribes: {
    readonly query?: {
      readonly start_date?: string;
      readonly end_date?: string;
      readonly limit?: number;
      readonly offset?: number;
      readonly sort_direction?: "asc" | "desc";
      readonly email?: string | readonly string[];
    };
    readonly answer: {
      readonly emails: readonly ({
        readonly email: string;
        /** `2026-11-20 10:00:00 +0000` */
        readonly unsubscribed_at: string;
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /email/hard_bounces: Addresses that are permanently rejected. */
  readonly listHardBounces: {
    readonly query?: {
      readonly start_date?: string;
      readonly end_date?: string;
      readonly limit?: number;
      readonly offset?: number;
      readonly email?: string | readonly string[];
    };
    readonly answer: {
      readonly emails: readonly ({
        readonly email: string;
        /** `2026-11-20 10:00:00 +0000` */
        readonly hard_bounced_at: string;
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /sms/invalid_phone_numbers: Phone numbers that take no messages. */
  readonly listInvalidPhones: {
    readonly query?: {
      readonly start_date?: string;
      readonly end_date?: string;
      readonly limit?: number;
      readonly offset?: number;
      readonly phone_numbers?: string | readonly string[];
    };
    readonly answer: {
      readonly sms: readonly ({
        readonly phone: string;
        readonly invalid_detected_at: string;
        readonly reason: "provider_error" | "deactivated";
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /sms/invalid_phone_numbers/remove: Let phone numbers be tried again. A write. */
  readonly removeInvalidPhones: {
    readonly body: {
      readonly phone_numbers: readonly string[];
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BATCH_TOO_LARGE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /scim/v2/Users: Create a dashboard user. A write. */
  readonly createDashboardUser: {
    readonly query?: {
      readonly attributes?: string;
      readonly excludedAttributes?: string;
    };
    readonly body: ScimNewUser;
    readonly answer: ScimUser;
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "ORIGIN_NOT_ALLOWED"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_REUSED"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BODY_SHAPE_INVALID"
      | "ALREADY_EXISTS"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /scim/v2/Users: List or find dashboard users. */
  readonly listDashboardUsers: {
    readonly query?: {
      readonly filter?: string;
      readonly startIndex?: number;
      readonly count?: number;
      readonly sortBy?: string;
      readonly sortOrder?: "ascending" | "descending";
      readonly attributes?: string;
      readonly excludedAttributes?: string;
    };
    readonly answer: ScimUsers;
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "ORIGIN_NOT_ALLOWED"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "INPUT_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "FILTER_INVALID"
      | "TOO_MANY_RESULTS"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /scim/v2/Users/.search: Find dashboard users by a body. */
  readonly searchDashboardUsers: {
    readonly body: ScimSearch;
    readonly answer: ScimUsers;
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "ORIGIN_NOT_ALLOWED"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BODY_SHAPE_INVALID"
      | "FILTER_INVALID"
      | "TOO_MANY_RESULTS"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /scim/v2/.search: Find dashboard users by a body. */
  readonly searchAll: {
    readonly body: ScimSearch;
    readonly answer: ScimUsers;
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "ORIGIN_NOT_ALLOWED"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BODY_SHAPE_INVALID"
      | "FILTER_INVALID"
      | "TOO_MANY_RESULTS"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /scim/v2/Users/:id: Read a dashboard user. */
  readonly getDashboardUser: {
    readonly path: {
      readonly id: string;
    };
    readonly query?: {
      readonly attributes?: string;
      readonly excludedAttributes?: string;
    };
    readonly headers?: {
      readonly "If-None-Match"?: string;
    };
    readonly answer: ScimUser;
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "ORIGIN_NOT_ALLOWED"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "INPUT_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** PUT /scim/v2/Users/:id: Replace a dashboard user. A write. */
  readonly replaceDashboardUser: {
    readonly path: {
      readonly id: string;
    };
    readonly query?: {
      readonly attributes?: string;
      readonly excludedAttributes?: string;
    };
    readonly headers?: {
      readonly "If-Match"?: string;
    };
    readonly body: ScimReplacedUser;
    readonly answer: ScimUser;
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "ORIGIN_NOT_ALLOWED"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_REUSED"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BODY_SHAPE_INVALID"
      | "NOT_FOUND"
      | "ATTRIBUTE_READ_ONLY"
      | "VERSION_MISMATCH"
      | "STATE_CONFLICT"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** PATCH /scim/v2/Users/:id: Change parts of a dashboard user. A write. */
  readonly patchDashboardUser: {
    readonly path: {
      readonly id: string;
    };
    readonly query?: {
      readonly attributes?: string;
      readonly excludedAttributes?: string;
    };
    readonly headers?: {
      readonly "If-Match"?: string;
    };
    readonly body: ScimPatch;
    readonly answer: ScimUser;
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "ORIGIN_NOT_ALLOWED"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_REUSED"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "BODY_SHAPE_INVALID"
      | "NOT_FOUND"
      | "ATTRIBUTE_READ_ONLY"
      | "VERSION_MISMATCH"
      | "STATE_CONFLICT"
      | "PATH_INVALID"
      | "TARGET_MISSING"
      | "FILTER_INVALID"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** DELETE /scim/v2/Users/:id: Delete a dashboard user for good. */
  readonly deleteDashboardUser: {
    readonly path: {
      readonly id: string;
    };
    readonly headers?: {
      readonly "If-Match"?: string;
    };
    readonly answer: undefined;
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "ORIGIN_NOT_ALLOWED"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "INPUT_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "VERSION_MISMATCH"
      | "STATE_CONFLICT"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /scim/v2/ServiceProviderConfig: What the SCIM service can do. */
  readonly getScimConfig: {
    readonly answer: ScimDocument;
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "ORIGIN_NOT_ALLOWED"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "INPUT_INVALID"
      | "PERMISSION_MISSING"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /scim/v2/Schemas: The schemas. */
  readonly listScimSchemas: {
    readonly answer: ScimDocument;
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "ORIGIN_NOT_ALLOWED"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "INPUT_INVALID"
      | "PERMISSION_MISSING"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /scim/v2/Schemas/:id: One schema. */
  readonly getScimSchema: {
    readonly path: {
      readonly id: string;
    };
    readonly answer: ScimDocument;
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "ORIGIN_NOT_ALLOWED"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "INPUT_INVALID"
      | "PERMISSION_MISSING"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /scim/v2/ResourceTypes: The resource types. */
  readonly listScimResourceTypes: {
    readonly answer: ScimDocument;
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "ORIGIN_NOT_ALLOWED"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "INPUT_INVALID"
      | "PERMISSION_MISSING"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /scim/v2/ResourceTypes/:id: One resource type. */
  readonly getScimResourceType: {
    readonly path: {
      readonly id: string;
    };
    readonly answer: ScimDocument;
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "ORIGIN_NOT_ALLOWED"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "INPUT_INVALID"
      | "PERMISSION_MISSING"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /preference_center/v1: Create a preference center. A write. */
  readonly createPreferenceCenter: {
    readonly body: {
      /** Letters, digits, hyphen, underscore; never changes. */
      readonly name: string;
      /** `Preference Center` unless given. */
      readonly preference_center_title?: string;
      /** At most 1048576 bytes; empty for the built-in page. */
      readonly preference_center_page_html: string;
      /** Empty for the built-in confirmation. */
      readonly confirmation_page_html: string;
      /** Shown after a submission in place of the confirmation. An extension. */
      readonly redirect_page_html?: string;
      /** Replaced as a whole: what is not named in it is removed. Absent, all of it stays. */
      readonly options?: {
        /** Only the content of the meta tag. */
        readonly "meta-viewport-content"?: string;
        readonly "links-tags"?: readonly ({
          readonly rel: "icon" | "shortcut icon" | "apple-touch-icon";
          readonly type?: string;
          readonly sizes?: string;
          readonly color?: string;
          /** An https address. */
          readonly href: string;
        })[];
        readonly "link-tags"?: readonly ({
          readonly rel: "icon" | "shortcut icon" | "apple-touch-icon";
          readonly type?: string;
          readonly sizes?: string;
          readonly color?: string;
          /** An https address. */
          readonly href: string;
        })[];
      };
      readonly state?: "active" | "draft";
    };
    readonly answer: {
      readonly preference_center_api_id: string;
      readonly liquid_tag: string;
      /** Such as `2022-09-22T18:28:07+00:00`. */
      readonly created_at: string;
      /** What of the HTML will not work, load or run on the hosted page, with field and line; the write was done. */
      readonly warnings?: readonly string[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "ALREADY_EXISTS"
      | "STATE_CONFLICT"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /preference_center/v1/list: All preference centers. */
  readonly listPreferenceCenters: {
    readonly answer: {
      readonly preference_centers: readonly ({
        readonly name?: string;
        readonly preference_center_api_id?: string;
        /** Such as `2022-09-22T18:28:07+00:00`. */
        readonly created_at?: string;
        /** Such as `2022-09-22T18:28:07+00:00`. */
        readonly updated_at?: string;
      })[];
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /preference_center/v1/:id: One preference center. */
  readonly getPreferenceCenter: {
    readonly path: {
      readonly id: string;
    };
    readonly answer: {
      readonly name: string;
      readonly preference_center_api_id?: string;
      /** Such as `2022-09-22T18:28:07+00:00`. */
      readonly created_at?: string;
      /** Such as `2022-09-22T18:28:07+00:00`. */
      readonly updated_at?: string;
      readonly preference_center_title?: string;
      readonly preference_center_page_html?: string;
      readonly confirmation_page_html?: string;
      readonly redirect_page_html?: string | null;
      readonly preference_center_options?: {
        /** Only the content of the meta tag. */
        readonly "meta-viewport-content"?: string;
        readonly "links-tags"?: readonly ({
          readonly rel: "icon" | "shortcut icon" | "apple-touch-icon";
          readonly type?: string;
          readonly sizes?: string;
          readonly color?: string;
          /** An https address. */
          readonly href: string;
        })[];
        readonly "link-tags"?: readonly ({
          readonly rel: "icon" | "shortcut icon" | "apple-touch-icon";
          readonly type?: string;
          readonly sizes?: string;
          readonly color?: string;
          /** An https address. */
          readonly href: string;
        })[];
      };
      readonly state?: "active" | "draft";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** PUT /preference_center/v1/:id: Update a preference center. A write. */
  readonly updatePreferenceCenter: {
    readonly path: {
      readonly id: string;
    };
    readonly body: {
      readonly name?: string;
      /** `Preference Center` unless given. */
      readonly preference_center_title?: string;
      /** At most 1048576 bytes; empty for the built-in page. */
      readonly preference_center_page_html: string;
      /** Empty for the built-in confirmation. */
      readonly confirmation_page_html: string;
      /** Shown after a submission in place of the confirmation. An extension. */
      readonly redirect_page_html?: string;
      /** Replaced as a whole: what is not named in it is removed. Absent, all of it stays. */
      readonly options?: {
        /** Only the content of the meta tag. */
        readonly "meta-viewport-content"?: string;
        readonly "links-tags"?: readonly ({
          readonly rel: "icon" | "shortcut icon" | "apple-touch-icon";
          readonly type?: string;
          readonly sizes?: string;
          readonly color?: string;
          /** An https address. */
          readonly href: string;
        })[];
        readonly "link-tags"?: readonly ({
          readonly rel: "icon" | "shortcut icon" | "apple-touch-icon";
          readonly type?: string;
          readonly sizes?: string;
          readonly color?: string;
          /** An https address. */
          readonly href: string;
        })[];
      };
      readonly state?: "active" | "draft";
    };
    readonly answer: {
      readonly preference_center_api_id: string;
      /** Such as `2022-09-22T18:28:07+00:00`. */
      readonly created_at: string;
      /** Such as `2022-09-22T18:28:07+00:00`. */
      readonly updated_at: string;
      /** What of the HTML will not work, load or run on the hosted page, with field and line; the write was done. */
      readonly warnings?: readonly string[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "STATE_CONFLICT"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /preference_center/v1/:id: Update a preference center. A write. */
  readonly postPreferenceCenter: {
    readonly path: {
      readonly id: string;
    };
    readonly body: {
      readonly name?: string;
      /** `Preference Center` unless given. */
      readonly preference_center_title?: string;
      /** At most 1048576 bytes; empty for the built-in page. */
      readonly preference_center_page_html: string;
      /** Empty for the built-in confirmation. */
      readonly confirmation_page_html: string;
      /** Shown after a submission in place of the confirmation. An extension. */
      readonly redirect_page_html?: string;
      /** Replaced as a whole: what is not named in it is removed. Absent, all of it stays. */
      readonly options?: {
        /** Only the content of the meta tag. */
        readonly "meta-viewport-content"?: string;
        readonly "links-tags"?: readonly ({
          readonly rel: "icon" | "shortcut icon" | "apple-touch-icon";
          readonly type?: string;
          readonly sizes?: string;
          readonly color?: string;
          /** An https address. */
          readonly href: string;
        })[];
        readonly "link-tags"?: readonly ({
          readonly rel: "icon" | "shortcut icon" | "apple-touch-icon";
          readonly type?: string;
          readonly sizes?: string;
          readonly color?: string;
          /** An https address. */
          readonly href: string;
        })[];
      };
      readonly state?: "active" | "draft";
    };
    readonly answer: {
      readonly preference_center_api_id: string;
      /** Such as `2022-09-22T18:28:07+00:00`. */
      readonly created_at: string;
      /** Such as `2022-09-22T18:28:07+00:00`. */
      readonly updated_at: string;
      /** What of the HTML will not work, load or run on the hosted page, with field and line; the write was done. */
      readonly warnings?: readonly string[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "STATE_CONFLICT"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /preference_center/v1/:id/preview: See a draft of a preference center. */
  readonly previewPreferenceCenter: {
    readonly path: {
      readonly id: string;
    };
    readonly body: {
      /** `Preference Center` unless given. */
      readonly preference_center_title?: string;
      /** At most 1048576 bytes; empty for the built-in page. */
      readonly preference_center_page_html: string;
      /** Empty for the built-in confirmation. */
      readonly confirmation_page_html: string;
      /** Shown after a submission in place of the confirmation. An extension. */
      readonly redirect_page_html?: string;
      /** Replaced as a whole: what is not named in it is removed. Absent, all of it stays. */
      readonly options?: {
        /** Only the content of the meta tag. */
        readonly "meta-viewport-content"?: string;
        readonly "links-tags"?: readonly ({
          readonly rel: "icon" | "shortcut icon" | "apple-touch-icon";
          readonly type?: string;
          readonly sizes?: string;
          readonly color?: string;
          /** An https address. */
          readonly href: string;
        })[];
        readonly "link-tags"?: readonly ({
          readonly rel: "icon" | "shortcut icon" | "apple-touch-icon";
          readonly type?: string;
          readonly sizes?: string;
          readonly color?: string;
          /** An https address. */
          readonly href: string;
        })[];
      };
      readonly state?: "active" | "draft";
    };
    readonly answer: {
      readonly page_html: string;
      /** What is shown after a submission: the redirect page, or else the confirmation. */
      readonly answer_html: string;
      /** What of the HTML will not work, load or run on the hosted page, with field and line; the write was done. */
      readonly warnings: readonly string[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "STATE_CONFLICT"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /preference_center/v1/:id/url/:userID: A person's own page. */
  readonly getPreferenceCenterUrl: {
    readonly path: {
      readonly id: string;
      readonly userID: string;
    };
    readonly answer: {
      readonly preference_center_url: string;
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "STATE_CONFLICT"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /preference_center/v1/:id/versions: All versions, the newest first. */
  readonly listPreferenceCenterVersions: {
    readonly path: {
      readonly id: string;
    };
    readonly query?: {
      readonly before?: number;
      readonly limit?: number;
    };
    readonly answer: {
      readonly versions: readonly ({
        readonly version: number;
        /** Such as `2022-09-22T18:28:07+00:00`. */
        readonly written_at?: string;
        /** Id of the API key. */
        readonly written_by?: string;
        readonly request_id?: string;
        readonly restored_from?: number;
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /preference_center/v1/:id/versions/:version: One version whole. */
  readonly getPreferenceCenterVersion: {
    readonly path: {
      readonly id: string;
      readonly version: number;
    };
    readonly answer: {
      readonly version: number;
      /** Such as `2022-09-22T18:28:07+00:00`. */
      readonly written_at?: string;
      /** Id of the API key. */
      readonly written_by?: string;
      readonly request_id?: string;
      readonly restored_from?: number;
      readonly preference_center_title?: string;
      readonly preference_center_page_html?: string;
      readonly confirmation_page_html?: string;
      readonly redirect_page_html?: string | null;
      readonly preference_center_options?: {
        /** Only the content of the meta tag. */
        readonly "meta-viewport-content"?: string;
        readonly "links-tags"?: readonly ({
          readonly rel: "icon" | "shortcut icon" | "apple-touch-icon";
          readonly type?: string;
          readonly sizes?: string;
          readonly color?: string;
          /** An https address. */
          readonly href: string;
        })[];
        readonly "link-tags"?: readonly ({
          readonly rel: "icon" | "shortcut icon" | "apple-touch-icon";
          readonly type?: string;
          readonly sizes?: string;
          readonly color?: string;
          /** An https address. */
          readonly href: string;
        })[];
      };
      readonly state?: "active" | "draft";
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /preference_center/v1/:id/versions/:version/diff: What a version changed. */
  readonly diffPreferenceCenterVersions: {
    readonly path: {
      readonly id: string;
      readonly version: number;
    };
    readonly query?: {
      readonly from?: number;
    };
    readonly answer: {
      readonly from?: number;
      readonly to?: number;
      readonly fields: readonly ({
        readonly field: string;
        readonly unified: string;
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /preference_center/v1/:id/versions/:version/restore: Make an earlier version the newest. A write. */
  readonly restorePreferenceCenterVersion: {
    readonly path: {
      readonly id: string;
      readonly version: number;
    };
    readonly body: {
      readonly [name: string]: unknown;
    };
    readonly answer: {
      readonly preference_center_api_id?: string;
      readonly version: number;
      /** Such as `2022-09-22T18:28:07+00:00`. */
      readonly updated_at?: string;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "STATE_CONFLICT"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /preferences/:token: The page that a link opens. */
  readonly openPreferencePage: {
    readonly path: {
      readonly token: string;
    };
    readonly answer: string;
    readonly reason:
      | "RATE_LIMITED"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "STATE_CONFLICT"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /preferences/:token: Save the choices of a page. */
  readonly submitPreferencePage: {
    readonly path: {
      readonly token: string;
    };
    readonly body: string;
    readonly answer: string;
    readonly reason:
      | "RATE_LIMITED"
      | "BODY_NOT_DECODED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "STATE_CONFLICT"
      | "INPUT_INVALID"
      | "PARTLY_DONE"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /campaigns/translations/source: What there is to translate in a campaign. */
  readonly getCampaignSource: {
    readonly query: {
      readonly campaign_id: string;
      readonly message_variation_id: string;
    };
    readonly answer: {
      readonly translations: {
        /** Text by id of the text. */
        readonly translation_map: {
          readonly [name: string]: string;
        };
      };
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "FEATURE_NOT_ENABLED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** PUT /campaigns/translations: Translate a message of a campaign. A write. */
  readonly putCampaignTranslation: {
    readonly body: {
      readonly campaign_id?: string;
      readonly message_variation_id?: string;
      /** A language, by its id or name. */
      readonly locale_id?: string;
      readonly locale_name?: string;
      /** Text by id of the text. */
      readonly translation_map: {
        readonly [name: string]: string;
      };
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "FEATURE_NOT_ENABLED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /campaigns/translations: Translations of a campaign. */
  readonly listCampaignTranslations: {
    readonly query: {
      readonly campaign_id: string;
      readonly message_variation_id?: string;
      readonly locale_id?: string;
    };
    readonly answer: {
      readonly translations: readonly ({
        readonly step_id?: string;
        readonly message_variation_id?: string;
        /** Text by id of the text. */
        readonly translation_map: {
          readonly [name: string]: string;
        };
        readonly locale: {
          readonly uuid?: string;
          /** Such as `es-MX`. */
          readonly name: string;
          readonly country?: string;
          readonly language?: string;
          readonly locale_key?: string;
        };
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "FEATURE_NOT_ENABLED"
      | "TOO_MANY_RESULTS"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /canvas/translations/source: What there is to translate in a canvas. */
  readonly getCanvasSource: {
    readonly query: {
      readonly workflow_id?: string;
      readonly step_id?: string;
      readonly message_variation_id: string;
    };
    readonly answer: {
      readonly translations: {
        /** Text by id of the text. */
        readonly translation_map: {
          readonly [name: string]: string;
        };
      };
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "FEATURE_NOT_ENABLED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** PUT /canvas/translations: Translate a message of a canvas. A write. */
  readonly putCanvasTranslation: {
    readonly body: {
      readonly workflow_id?: string;
      readonly step_id?: string;
      readonly message_variation_id?: string;
      /** A language, by its id or name. */
      readonly locale_id?: string;
      readonly locale_name?: string;
      /** Text by id of the text. */
      readonly translation_map: {
        readonly [name: string]: string;
      };
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "FEATURE_NOT_ENABLED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /canvas/translations: Translations of a canvas. */
  readonly listCanvasTranslations: {
    readonly query?: {
      readonly workflow_id?: string;
      readonly step_id?: string;
      readonly message_variation_id?: string;
      readonly locale_id?: string;
    };
    readonly answer: {
      readonly translations: readonly ({
        readonly step_id?: string;
        readonly message_variation_id?: string;
        /** Text by id of the text. */
        readonly translation_map: {
          readonly [name: string]: string;
        };
        readonly locale: {
          readonly uuid?: string;
          /** Such as `es-MX`. */
          readonly name: string;
          readonly country?: string;
          readonly language?: string;
          readonly locale_key?: string;
        };
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "FEATURE_NOT_ENABLED"
      | "TOO_MANY_RESULTS"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /campaign/translations/source: What there is to translate in a campaign (the path in the singular). */
  readonly getCampaignSingularSource: {
    readonly query: {
      readonly campaign_id: string;
      readonly message_variation_id: string;
    };
    readonly answer: {
      readonly translations: {
        /** Text by id of the text. */
        readonly translation_map: {
          readonly [name: string]: string;
        };
      };
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "FEATURE_NOT_ENABLED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** PUT /campaign/translations: Translate a message of a campaign (the path in the singular). A write. */
  readonly putCampaignSingularTranslation: {
    readonly body: {
      readonly campaign_id?: string;
      readonly message_variation_id?: string;
      /** A language, by its id or name. */
      readonly locale_id?: string;
      readonly locale_name?: string;
      /** Text by id of the text. */
      readonly translation_map: {
        readonly [name: string]: string;
      };
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "FEATURE_NOT_ENABLED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /campaign/translations: Translations of a campaign (the path in the singular). */
  readonly listCampaignSingularTranslations: {
    readonly query: {
      readonly campaign_id: string;
      readonly message_variation_id?: string;
      readonly locale_id?: string;
    };
    readonly answer: {
      readonly translations: readonly ({
        readonly step_id?: string;
        readonly message_variation_id?: string;
        /** Text by id of the text. */
        readonly translation_map: {
          readonly [name: string]: string;
        };
        readonly locale: {
          readonly uuid?: string;
          /** Such as `es-MX`. */
          readonly name: string;
          readonly country?: string;
          readonly language?: string;
          readonly locale_key?: string;
        };
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "FEATURE_NOT_ENABLED"
      | "TOO_MANY_RESULTS"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /unsubscribe/:token: Page of an unsubscribe link. */
  readonly showUnsubscribePage: {
    readonly path: {
      readonly token: string;
    };
    readonly answer: string;
    readonly reason:
      | "RATE_LIMITED"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "INPUT_INVALID"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /unsubscribe/:token: Unsubscribe with one click (RFC 8058). */
  readonly unsubscribe: {
    readonly path: {
      readonly token: string;
    };
    readonly body: string;
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "RATE_LIMITED"
      | "BODY_NOT_DECODED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "INPUT_INVALID"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /livez: Does the process answer?. */
  readonly isAlive: {
    readonly answer: {
      readonly status: string;
      readonly message: string;
      /** What waits for a human */
      readonly reason?: string;
    };
    readonly reason: "REQUEST_MALFORMED" | "REQUEST_TIMEOUT" | "HEADERS_TOO_LARGE" | "EXPECTATION_FAILED" | "DEADLINE_EXCEEDED";
  };
  /** GET /readyz: Can what was accepted be applied and read?. */
  readonly isReady: {
    readonly answer: {
      readonly status: string;
      readonly message: string;
      /** What waits for a human */
      readonly reason?: string;
    };
    readonly reason: "REQUEST_MALFORMED" | "REQUEST_TIMEOUT" | "HEADERS_TOO_LARGE" | "EXPECTATION_FAILED" | "DEADLINE_EXCEEDED";
  };
  /** GET /readyz/gateway: Does this gateway take requests?. */
  readonly isGatewayReady: {
    readonly answer: {
      readonly status: string;
      readonly message: string;
      /** What waits for a human */
      readonly reason?: string;
    };
    readonly reason: "REQUEST_MALFORMED" | "REQUEST_TIMEOUT" | "HEADERS_TOO_LARGE" | "EXPECTATION_FAILED" | "DEADLINE_EXCEEDED";
  };
  /** GET /openapi.json: This document. */
  readonly getOpenapi: {
    readonly answer: {
      readonly openapi: string;
    };
    readonly reason: "REQUEST_MALFORMED" | "REQUEST_TIMEOUT" | "HEADERS_TOO_LARGE" | "EXPECTATION_FAILED" | "DEADLINE_EXCEEDED";
  };
  /** GET /docs: First steps. */
  readonly showDocs: {
    readonly answer: string;
    readonly reason: "REQUEST_MALFORMED" | "REQUEST_TIMEOUT" | "HEADERS_TOO_LARGE" | "EXPECTATION_FAILED" | "DEADLINE_EXCEEDED";
  };
  /** GET /docs/errors: What each error means. */
  readonly showErrors: {
    readonly answer: string;
    readonly reason: "REQUEST_MALFORMED" | "REQUEST_TIMEOUT" | "HEADERS_TOO_LARGE" | "EXPECTATION_FAILED" | "DEADLINE_EXCEEDED";
  };
  /** GET /docs/:page: A guide, the list of all calls, or where to try them. */
  readonly showGuide: {
    readonly path: {
      readonly page: string;
    };
    readonly answer: string;
    readonly reason:
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "ROUTE_UNKNOWN"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /docs/calls/:operation: A call, with a request in four languages. */
  readonly showCall: {
    readonly path: {
      readonly operation: string;
    };
    readonly answer: string;
    readonly reason:
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "ROUTE_UNKNOWN"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /docs/assets/:name: Scripts and styles of the pages. */
  readonly getDocsAsset: {
    readonly path: {
      readonly name: string;
    };
    readonly answer: string;
    readonly reason:
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "ROUTE_UNKNOWN"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console: The console, a page that shows what goes on. */
  readonly showConsole: {
    readonly answer: string;
    readonly reason: "REQUEST_MALFORMED" | "REQUEST_TIMEOUT" | "HEADERS_TOO_LARGE" | "EXPECTATION_FAILED" | "DEADLINE_EXCEEDED";
  };
  /** GET /console/preview: The frame in which the console shows drafts of pages. */
  readonly showConsolePreview: {
    readonly answer: string;
    readonly reason: "REQUEST_MALFORMED" | "REQUEST_TIMEOUT" | "HEADERS_TOO_LARGE" | "EXPECTATION_FAILED" | "DEADLINE_EXCEEDED";
  };
  /** GET /console/assets/:name: Script and style of the console. */
  readonly getConsoleAsset: {
    readonly path: {
      readonly name: string;
    };
    readonly answer: string;
    readonly reason:
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "ROUTE_UNKNOWN"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/overview: Throughput, lag, limits and the last refused requests of a workspace. */
  readonly getConsoleOverview: {
    readonly answer: {
      readonly workspace?: {
        readonly id?: string;
        readonly name?: string;
        readonly company?: string;
      };
      readonly ready?: boolean;
      /** What is not ready, or what waits for a human. For operators. */
      readonly reason?: string;
      /** The last minute. */
      readonly seconds?: readonly ({
        /** Unix time. */
        readonly second?: number;
        readonly requests?: number;
        readonly refused?: number;
      })[];
      readonly routes?: readonly ({
        readonly method?: string;
        readonly route?: string;
        readonly requests?: number;
        readonly refused?: number;
        readonly mean_ms?: number;
      })[];
      /** The newest first. */
      readonly errors?: readonly ({
        /** ISO 8601, UTC. */
        readonly time?: string;
        readonly request_id?: string;
        readonly trace_id?: string;
        readonly method?: string;
        readonly route?: string;
        readonly status?: number;
        readonly reason?: string;
        readonly ms?: number;
      })[];
      /** What is durable and not applied yet. For operators. */
      readonly lanes?: readonly ({
        readonly lane?: string;
        readonly records?: number;
        readonly seconds?: number;
      })[];
      readonly held_users?: number;
      readonly set_aside?: number;
      readonly limits?: readonly ({
        readonly name?: string;
        /** What its requests are counted under (`GET /console/requests`). */
        readonly limit?: string;
        readonly capacity?: number;
        readonly remaining?: number;
        readonly window_seconds?: number;
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /console/users: A user with the request that set each field, merges, and the history of consent. */
  readonly inspectUsers: {
    readonly body: {
      readonly external_id?: string;
      readonly user_alias?: {
        readonly alias_name?: string;
        readonly alias_label?: string;
      };
      readonly platform_id?: string;
      readonly email?: string;
      readonly phone?: string;
      /** The `merge_id` of a merge whose `sides` are wanted. */
      readonly sides_of?: string;
    };
    readonly answer: {
      readonly users?: readonly ({
        readonly platform_id?: string;
        /** ISO 8601, UTC. */
        readonly created_at?: string;
        /** ISO 8601, UTC. */
        readonly updated_at?: string;
        /** Records of the user wait for a human. */
        readonly held?: boolean;
        /** Objects and attributes that the profile had no room for, with the request that sent the last of them; absent: none. */
        readonly dropped?: {
          readonly count?: number;
          readonly last?: {
            /** Place in the intake log. */
            readonly position: number;
            readonly request_id?: string;
            /** Public id of the API key, or the page or service that asked. */
            readonly actor?: string;
            /** Of the API key. */
            readonly actor_name?: string;
            /** ISO 8601, UTC. */
            readonly time?: string;
            /** What was asked, such as `track` or `mergeUsers`. */
            readonly what?: string;
          };
        };
        readonly profile?: {
          readonly [name: string]: unknown;
        };
        readonly fields?: readonly ({
          readonly name?: string;
          readonly custom?: boolean;
          readonly value?: unknown;
          readonly set_by?: {
            /** Place in the intake log. */
            readonly position: number;
            readonly request_id?: string;
            /** Public id of the API key, or the page or service that asked. */
            readonly actor?: string;
            /** Of the API key. */
            readonly actor_name?: string;
            /** ISO 8601, UTC. */
            readonly time?: string;
            /** What was asked, such as `track` or `mergeUsers`. */
            readonly what?: string;
          };
        })[];
        readonly merges?: readonly ({
          readonly merge_id?: string;
          readonly source_platform_id?: string;
          /** ISO 8601, UTC. */
          readonly time?: string;
          /** What `POST /users/merge/undo` takes; absent where the merge can no longer be taken back. */
          readonly undo?: {
            readonly job_id: string;
            readonly index: number;
            /** ISO 8601, UTC. */
            readonly until: string;
            /** Why it cannot be taken back. */
            readonly blocked?: string;
          };
          readonly asked_by?: {
            /** Place in the intake log. */
            readonly position: number;
            readonly request_id?: string;
            /** Public id of the API key, or the page or service that asked. */
            readonly actor?: string;
            /** Of the API key. */
            readonly actor_name?: string;
            /** ISO 8601, UTC. */
            readonly time?: string;
            /** What was asked, such as `track` or `mergeUsers`. */
            readonly what?: string;
          };
          /** Both profiles as they were before, of the merge in `sides_of`, while it can be taken back. */
          readonly sides?: {
            readonly source?: {
              readonly [name: string]: unknown;
            };
            readonly target?: {
              readonly [name: string]: unknown;
            };
          };
        })[];
        /** Merges that were taken back, the last 20, the oldest first. */
        readonly undone_merges?: readonly ({
          readonly merge_id?: string;
          readonly other_platform_id?: string;
          /** `source`: this user had been taken in; or `target`. */
          readonly was?: string;
          /** ISO 8601, UTC. */
          readonly time?: string;
          readonly asked_by?: {
            /** Place in the intake log. */
            readonly position: number;
            readonly request_id?: string;
            /** Public id of the API key, or the page or service that asked. */
            readonly actor?: string;
            /** Of the API key. */
            readonly actor_name?: string;
            /** ISO 8601, UTC. */
            readonly time?: string;
            /** What was asked, such as `track` or `mergeUsers`. */
            readonly what?: string;
          };
        })[];
        /** Of about the last month, the oldest first. */
        readonly days?: readonly ({
          /** UTC. */
          readonly date?: string;
          readonly events?: number;
          readonly purchases?: number;
        })[];
        /** The oldest first; absent: a part that owns consent does not answer. */
        readonly consent?: readonly ({
          /** Place in the chain of the subject. */
          readonly index?: number;
          readonly subject?: string;
          readonly what?: string;
          /** Of the subscription group. */
          readonly name?: string;
          readonly kind?: string;
          readonly before?: string | null;
          readonly after?: string | null;
          /** ISO 8601, UTC. */
          readonly time?: string;
          /** Public id of the API key, or the page or service that asked. */
          readonly actor?: string;
          /** Of the API key. */
          readonly actor_name?: string;
          readonly request_id?: string;
          /** SHA-256 of the entry and of all before it in its chain. */
          readonly hash?: string;
        })[];
        /** How many chains were checked, and the first entry of each that is not as it was written. */
        readonly consent_chains?: {
          readonly checked?: number;
          readonly damage?: readonly ({
            readonly subject?: string;
            readonly index?: number;
            readonly reason?: string;
          })[];
        };
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /console/people: Everyone in the workspace, in pages. */
  readonly listPeople: {
    readonly body: {
      /** `oldest` (unless given), `newest`, `changed`, `blocked`, `subscribed` or `unsubscribed`. */
      readonly list?: string;
      /** With `subscribed` and `unsubscribed`: the group in which somebody or something set it. */
      readonly group_id?: string;
      /** The `next_page_token` of the page before; absent for the first page. */
      readonly page_token?: string;
    };
    readonly answer: {
      readonly users?: readonly ({
        readonly external_id?: string;
        readonly user_alias?: {
          readonly alias_name?: string;
          readonly alias_label?: string;
        };
        readonly platform_id: string;
        readonly user_aliases?: readonly ({
          readonly alias_name?: string;
          readonly alias_label?: string;
        })[];
        readonly email?: string;
        readonly phone?: string;
        readonly first_name?: string;
        readonly last_name?: string;
        /** ISO 8601, UTC. */
        readonly created_at?: string;
        /** Custom events, all together. */
        readonly events: number;
        /** All together. */
        readonly purchases: number;
        /** ISO 8601, UTC. */
        readonly updated_at: string;
      })[];
      /** Absent on the last page. */
      readonly next_page_token?: string;
      /** Of the members of a group: how many people with a state in any group were looked at for this page. */
      readonly looked_at?: number;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/groups: The subscription groups of the workspace, archived ones too. */
  readonly listConsoleGroups: {
    readonly answer: {
      readonly groups?: readonly ({
        readonly id?: string;
        readonly name?: string;
        readonly archived?: boolean;
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /console/people/search: People by how a name of theirs begins. */
  readonly searchPeople: {
    readonly body: {
      /** `external_id`, `email`, `phone` or `user_alias`. */
      readonly by?: string;
      /** With `user_alias` of the alias's name. */
      readonly starts_with: string;
      /** With `user_alias`, whole. */
      readonly alias_label?: string;
      /** The `next_page_token` of the page before, with the same `by` and `starts_with`. */
      readonly page_token?: string;
    };
    readonly answer: {
      readonly found?: readonly ({
        readonly by?: string;
        readonly name?: string;
        readonly users?: readonly ({
          readonly external_id?: string;
          readonly user_alias?: {
            readonly alias_name?: string;
            readonly alias_label?: string;
          };
          readonly platform_id: string;
          readonly user_aliases?: readonly ({
            readonly alias_name?: string;
            readonly alias_label?: string;
          })[];
          readonly email?: string;
          readonly phone?: string;
          readonly first_name?: string;
          readonly last_name?: string;
          /** ISO 8601, UTC. */
          readonly created_at?: string;
          /** Custom events, all together. */
          readonly events: number;
          /** All together. */
          readonly purchases: number;
        })[];
        /** How many have the name. */
        readonly count?: number;
      })[];
      /** Absent on the last page. */
      readonly next_page_token?: string;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/rejected: Users of whom /users/track takes no more. */
  readonly listRejectedUsers: {
    readonly answer: {
      readonly users?: readonly ({
        readonly platform_id: string;
        readonly external_id?: string;
        /** The first 100. */
        readonly user_aliases?: readonly ({
          readonly alias_name?: string;
          readonly alias_label?: string;
        })[];
        /** What the user has too much of: `event_names`, `product_ids` or `sessions`. */
        readonly counted: string;
        readonly count: number;
        /** What the user may have. */
        readonly max: number;
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /console/rejected/admit: Lets a rejected user back in. A write. */
  readonly admitUser: {
    readonly body: {
      readonly external_id?: string;
      readonly user_alias?: {
        readonly alias_name?: string;
        readonly alias_label?: string;
      };
      readonly platform_id?: string;
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "IDEMPOTENCY_KEY_REUSED"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/live: Requests of the workspace as they are answered. */
  readonly watchRequests: {
    readonly query?: {
      readonly route?: string;
      readonly status?: string;
      readonly reason?: string;
      readonly event?: string;
    };
    readonly answer: {
      readonly requests?: readonly ({
        readonly request_id: string;
        /** ISO 8601, UTC. */
        readonly time: string;
        readonly method: string;
        /** The pattern of the route. */
        readonly route: string;
        readonly status: number;
        /** Why it was refused; absent for a success. */
        readonly reason?: string;
        readonly ms: number;
        /** Which one answered. */
        readonly gateway: string;
        readonly object_count?: number;
        /** At most 20, those that were not taken first. */
        readonly objects: readonly ({
          readonly array: string;
          readonly index: number;
          /** Of the event or the product. */
          readonly name?: string;
          readonly verdict: "taken" | "partly" | "refused";
          /** What was not taken of it. */
          readonly field?: string;
          /** Without any value that was sent. */
          readonly why?: string;
          /** Where the caller sent it. */
          readonly platform_id?: string;
        })[];
        /** Names of its events, each once. */
        readonly events?: readonly string[];
        /** The body was too large to look into: objects and names are missing. */
        readonly unread?: boolean;
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/live/bodies: Requests of the workspace as they are answered, with what was sent. */
  readonly watchBodies: {
    readonly query?: {
      readonly route?: string;
      readonly status?: string;
      readonly reason?: string;
      readonly event?: string;
    };
    readonly answer: {
      readonly requests?: readonly ({
        readonly request_id: string;
        /** ISO 8601, UTC. */
        readonly time: string;
        readonly method: string;
        /** The pattern of the route. */
        readonly route: string;
        readonly status: number;
        /** Why it was refused; absent for a success. */
        readonly reason?: string;
        readonly ms: number;
        /** Which one answered. */
        readonly gateway: string;
        readonly object_count?: number;
        /** At most 20, those that were not taken first. */
        readonly objects: readonly ({
          readonly array: string;
          readonly index: number;
          /** Of the event or the product. */
          readonly name?: string;
          readonly verdict: "taken" | "partly" | "refused";
          /** What was not taken of it. */
          readonly field?: string;
          /** Without any value that was sent. */
          readonly why?: string;
          /** Where the caller sent it. */
          readonly platform_id?: string;
        })[];
        /** Names of its events, each once. */
        readonly events?: readonly string[];
        /** The body was too large to look into: objects and names are missing. */
        readonly unread?: boolean;
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/translations: Which texts are translated, and which are missing. */
  readonly listTranslationMatrix: {
    readonly answer: {
      /** Of the workspace. */
      readonly locales: readonly string[];
      readonly messages: readonly ({
        /** `campaign` or `canvas`. */
        readonly kind: string;
        readonly owner: {
          readonly id: string;
          readonly name: string;
        };
        readonly step?: {
          readonly id: string;
          readonly name: string;
        };
        readonly message: {
          readonly id: string;
          readonly name: string;
        };
        /** That the message is to be translated into. */
        readonly locales: readonly string[];
        readonly texts: readonly ({
          readonly id: string;
          /** The first 200 characters. */
          readonly source: string;
          /** Locales in which the text is absent or empty. */
          readonly missing: readonly string[];
        })[];
      })[];
      /** There are more texts, or more that is missing, than an answer holds. */
      readonly more: boolean;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/doctor: What is not well with this process and its servers. */
  readonly examine: {
    readonly answer: {
      readonly examined_at: string;
      readonly findings: readonly ({
        /** What was looked at. */
        readonly check: string;
        readonly level: "ok" | "warn" | "fail";
        /** What was found and, where it is not well, what to do. */
        readonly text: string;
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/lag: How far lanes were behind in the last three hours. */
  readonly getLagHistory: {
    readonly answer: {
      readonly step_seconds: number;
      readonly lanes: readonly ({
        /** `intake-0` and further, `subscription`, `messaging-status`. */
        readonly lane: string;
        /** The oldest first: when its minute began (Unix seconds), records that were durable and not applied, seconds since the oldest of them came. */
        readonly samples: readonly (readonly number[])[];
      })[];
      /** Parts that did not answer. */
      readonly away: readonly string[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/processes: Which processes of the installation run, of which build. */
  readonly listProcesses: {
    readonly answer: {
      readonly processes: readonly ({
        /** Of this life of it. */
        readonly id: string;
        /** `gateway`, `profile`, `subscription`, `messaging-status`, `scim` or `content`; `heddle`: all of them in one. */
        readonly part: string;
        /** Of its build. */
        readonly version: string;
        /** Node or Deno, with its version. */
        readonly runtime: string;
        /** The machine, or the pod. */
        readonly host: string;
        readonly started_at: string;
        /** By its own clock. */
        readonly heard_at: string;
        /** It should have been heard of since. */
        readonly late: boolean;
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/log: Blocked users and dead letters of the whole installation. */
  readonly listWaitingRecords: {
    readonly answer: {
      readonly blocked_users?: readonly ({
        readonly workspace_id: string;
        readonly platform_id: string;
        /** Place of the record, such as `17.0`; of a dead letter of the intake such as `17`. */
        readonly at: string;
        /** Why it could not be applied, or whom it waits for. */
        readonly reason: string;
      })[];
      readonly dead_letters?: readonly ({
        /** Of the intake; absent for consent. */
        readonly partition?: number;
        /** `subscription` or `messaging-status`, for a record of consent. */
        readonly lane?: string;
        readonly workspace_id?: string;
        /** The user or the address that a record of consent is about; empty where the record does not say it. An address takes `console.bodies` too, and is absent without it. */
        readonly of?: string;
        /** Place of the record, such as `17.0`; of a dead letter of the intake such as `17`. */
        readonly at: string;
        /** Why it could not be applied, or whom it waits for. */
        readonly reason: string;
      })[];
      /** Services of consent that did not answer: their dead letters are not among these. */
      readonly away?: readonly string[];
      /** As many are listed as an answer holds: more may wait. */
      readonly more?: boolean;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /console/log/records: What records say that wait for a human. */
  readonly showWaitingRecords: {
    readonly body: {
      readonly records: readonly ({
        readonly workspace_id?: string;
        readonly platform_id?: string;
        readonly lane?: string;
        readonly partition?: number;
        /** Place of the record, such as `17.0`; of a dead letter of the intake such as `17`. */
        readonly at: string;
      })[];
    };
    readonly answer: {
      /** In the order of the request. */
      readonly records: readonly ({
        /** Absent where this build cannot read it, or where it is larger than 1 MiB. */
        readonly record?: {
          readonly [name: string]: unknown;
        };
        /** How large it is. */
        readonly bytes: number;
        /** The first 256 of them, in hex. */
        readonly first_bytes: string;
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /console/log/redrive: Tries all blocked users and dead letters once more. A write, and not repeated where it may have been done. */
  readonly redriveWaitingRecords: {
    readonly body: {
      readonly [name: string]: unknown;
    };
    readonly answer: {
      /** How many are tried once more. */
      readonly blocked_users?: number;
      readonly dead_letters?: number;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /console/log/skip: Passes over records that cannot be applied. A write, and not repeated where it may have been done. */
  readonly skipWaitingRecord: {
    readonly body: {
      readonly records: readonly ({
        readonly workspace_id?: string;
        readonly platform_id?: string;
        readonly lane?: string;
        readonly partition?: number;
        /** Place of the record, such as `17.0`; of a dead letter of the intake such as `17`. */
        readonly at: string;
      })[];
    };
    readonly answer: {
      readonly skipped?: number;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "STATE_CONFLICT"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/series: What was counted in the workspace, as series for charts. */
  readonly getSeries: {
    readonly query?: {
      readonly range?: "day" | "week" | "year";
    };
    readonly answer: {
      readonly range?: string;
      /** ISO 8601, UTC. */
      readonly from?: string;
      /** ISO 8601, UTC: the end of the last point, which is still being counted. */
      readonly to?: string;
      /** From one point to the next. */
      readonly step_seconds?: number;
      readonly series?: readonly ({
        /** `objects` of /users/track that reached a user; `users` by what became of them; `events` by name; `purchases` by quantity; `revenue` by currency; `consent` by what was set, a fan-out as often as it has users. */
        readonly metric: string;
        /** Absent where a metric has one series, and on `events` beyond the 50 names that are counted in an hour. */
        readonly name?: string;
        readonly total: number;
        /** Unix time of its beginning and the number; where there is none it was 0. */
        readonly points: readonly (readonly number[])[];
      })[];
      readonly users?: {
        /** How many users there are now: `new` - `deleted` - `merged` + `unmerged`. */
        readonly count?: number;
        /** ISO 8601, UTC: who was there before, by a build that did not count, is not among them. */
        readonly counted_since?: string;
      };
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/requests: How often requests took from each limit of the workspace, and what was refused, as series for charts. */
  readonly getRequestSeries: {
    readonly query?: {
      readonly range?: "day" | "week" | "year";
    };
    readonly answer: {
      readonly range?: string;
      /** ISO 8601, UTC. */
      readonly from?: string;
      /** ISO 8601, UTC: the end of the last point, which is still being counted. */
      readonly to?: string;
      /** From one point to the next. */
      readonly step_seconds?: number;
      readonly series?: readonly ({
        /** `requests` and `limited` (those beyond the limit, answered with 429) by limit; `refused` by reason. */
        readonly metric: string;
        /** Of the limit or the reason. */
        readonly name: string;
        readonly total: number;
        /** Unix time of its beginning and the number; where there is none it was 0. */
        readonly points: readonly (readonly number[])[];
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/declaration: In what a workspace differs from the file that was applied last. */
  readonly compareDeclaration: {
    readonly answer: {
      readonly state: "compared" | "none" | "too_large";
      /** ISO 8601, UTC. */
      readonly applied_at?: string;
      readonly differences: readonly ({
        readonly difference: "missing" | "differs" | "not_declared";
        /** Such as `API key`. */
        readonly what: string;
        /** Names from the company down. */
        readonly path: string;
        readonly id?: string;
        readonly fields?: readonly ({
          readonly field: string;
          readonly here: unknown;
          readonly declared: unknown;
        })[];
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "STATE_CONFLICT"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/session: Whose key it is that asks, and what it may do. */
  readonly getConsoleSession: {
    readonly answer: {
      readonly key?: {
        readonly id?: string;
        readonly name?: string;
        readonly permissions?: readonly string[];
      };
      readonly workspace?: {
        readonly id?: string;
        readonly name?: string;
        readonly company?: string;
      };
      /** All there are. */
      readonly permission_names?: readonly string[];
      /** Of the session; absent where the key itself was sent. */
      readonly expires_at?: string;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /console/session: Signs a browser in with the key that is sent. A write, and not repeated where it may have been done. */
  readonly openConsoleSession: {
    readonly body: {
      /** `false` where the page came without TLS: then the cookie is not marked as `Secure`. */
      readonly secure?: boolean;
    };
    readonly answer: {
      readonly key?: {
        readonly id?: string;
        readonly name?: string;
        readonly permissions?: readonly string[];
      };
      readonly workspace?: {
        readonly id?: string;
        readonly name?: string;
        readonly company?: string;
      };
      /** All there are. */
      readonly permission_names?: readonly string[];
      /** ISO 8601, UTC. */
      readonly expires_at?: string;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /console/session/end: Signs this browser out. A write, and not repeated where it may have been done. */
  readonly endConsoleSession: {
    readonly body: {
      /** `false` where the page came without TLS: then the cookie is not marked as `Secure`. */
      readonly secure?: boolean;
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /console/session/end-all: Ends all sessions of the key, in every browser. A write, and not repeated where it may have been done. */
  readonly endConsoleSessions: {
    readonly body: {
      /** `false` where the page came without TLS: then the cookie is not marked as `Secure`. */
      readonly secure?: boolean;
    };
    readonly answer: {
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/keys: The API keys of the workspace, without their secrets. */
  readonly listKeys: {
    readonly answer: {
      readonly keys?: readonly ({
        readonly id: string;
        readonly name: string;
        readonly permissions: readonly string[];
        readonly ip_allow: readonly string[];
        /** ISO 8601, UTC. */
        readonly created_at: string;
        readonly state: "valid" | "ends" | "revoked";
        /** When it was revoked, or when its overlap ends. */
        readonly ends_at?: string;
        /** In lists: the hour in which it was used last, on any gateway, by itself or by a session. Absent: no use is known. */
        readonly last_used_at?: string;
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /console/keys: Makes an API key. A write, and not repeated where it may have been done. */
  readonly createKey: {
    readonly body: {
      readonly name: string;
      readonly permissions: readonly string[];
    };
    readonly answer: {
      readonly key?: {
        readonly id: string;
        readonly name: string;
        readonly permissions: readonly string[];
        readonly ip_allow: readonly string[];
        /** ISO 8601, UTC. */
        readonly created_at: string;
        readonly state: "valid" | "ends" | "revoked";
        /** When it was revoked, or when its overlap ends. */
        readonly ends_at?: string;
        /** In lists: the hour in which it was used last, on any gateway, by itself or by a session. Absent: no use is known. */
        readonly last_used_at?: string;
      };
      /** Of the new key, shown once: only its SHA-256 is stored. */
      readonly secret?: string;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "ALREADY_EXISTS"
      | "NOT_FOUND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /console/keys/rotate: Makes a key that follows another, with its name and permissions. A write, and not repeated where it may have been done. */
  readonly rotateKey: {
    readonly body: {
      readonly id: string;
      readonly overlap_seconds?: number;
    };
    readonly answer: {
      readonly key?: {
        readonly id: string;
        readonly name: string;
        readonly permissions: readonly string[];
        readonly ip_allow: readonly string[];
        /** ISO 8601, UTC. */
        readonly created_at: string;
        readonly state: "valid" | "ends" | "revoked";
        /** When it was revoked, or when its overlap ends. */
        readonly ends_at?: string;
        /** In lists: the hour in which it was used last, on any gateway, by itself or by a session. Absent: no use is known. */
        readonly last_used_at?: string;
      };
      /** Of the new key, shown once: only its SHA-256 is stored. */
      readonly secret?: string;
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "STATE_CONFLICT"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** POST /console/keys/revoke: Ends a key for good, at once. A write, and not repeated where it may have been done. */
  readonly revokeKey: {
    readonly body: {
      readonly id: string;
    };
    readonly answer: {
      readonly key?: {
        readonly id: string;
        readonly name: string;
        readonly permissions: readonly string[];
        readonly ip_allow: readonly string[];
        /** ISO 8601, UTC. */
        readonly created_at: string;
        readonly state: "valid" | "ends" | "revoked";
        /** When it was revoked, or when its overlap ends. */
        readonly ends_at?: string;
        /** In lists: the hour in which it was used last, on any gateway, by itself or by a session. Absent: no use is known. */
        readonly last_used_at?: string;
      };
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "BODY_NOT_JSON"
      | "BODY_NOT_UTF8"
      | "BODY_TOO_DEEP"
      | "BODY_TOO_WIDE"
      | "BODY_NOT_DECODED"
      | "BODY_KEY_REPEATED"
      | "BODY_TOO_LARGE"
      | "CONTENT_TYPE_UNSUPPORTED"
      | "IDEMPOTENCY_KEY_INVALID"
      | "LOG_FULL"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "NOT_FOUND"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
  /** GET /console/actions: What people did at the console, and by whose key. */
  readonly listConsoleActions: {
    readonly answer: {
      readonly actions?: readonly ({
        /** ISO 8601, UTC. */
        readonly time: string;
        readonly key: {
          readonly id?: string;
          readonly name?: string;
        };
        readonly request_id: string;
        readonly method: string;
        /** The pattern of the route. */
        readonly route: string;
        readonly status: number;
        /** Why it was refused; absent for a success. */
        readonly reason?: string;
      })[];
      readonly message: "success";
    };
    readonly reason:
      | "KEY_MISSING"
      | "KEY_INVALID"
      | "KEY_IN_WRONG_PLACE"
      | "PERMISSION_MISSING"
      | "ADDRESS_NOT_ALLOWED"
      | "RATE_LIMITED"
      | "INPUT_INVALID"
      | "POSITION_INVALID"
      | "OVERLOADED"
      | "LOG_UNAVAILABLE"
      | "EPOCH_MISMATCH"
      | "STORE_UNAVAILABLE"
      | "SERVICE_UNAVAILABLE"
      | "OUTCOME_UNKNOWN"
      | "SHUTTING_DOWN"
      | "NOT_IMPLEMENTED"
      | "REQUEST_MALFORMED"
      | "REQUEST_TIMEOUT"
      | "HEADERS_TOO_LARGE"
      | "EXPECTATION_FAILED"
      | "DEADLINE_EXCEEDED";
  };
}

/** Method and path of each call. */
export const routes = {
  trackUsers: "POST /users/track",
  trackUsersSync: "POST /users/track/sync",
  trackUsersBulk: "POST /users/track/bulk",
  exportUsers: "POST /users/export/ids",
  createAliases: "POST /users/alias/new",
  updateAliases: "POST /users/alias/update",
  identifyUsers: "POST /users/identify",
  renameExternalIds: "POST /users/external_ids/rename",
  removeExternalIds: "POST /users/external_ids/remove",
  previewMerge: "POST /users/merge/preview",
  mergeUsers: "POST /users/merge",
  getMergeStatus: "GET /users/merge/status/:id",
  undoMerge: "POST /users/merge/undo",
  deleteUsers: "POST /users/delete",
  setGroupStatus: "POST /subscription/status/set",
  setGroupStatuses: "POST /v2/subscription/status/set",
  getGroupStatus: "GET /subscription/status/get",
  getGroupStatusByBody: "POST /subscription/status/get",
  getUserGroups: "GET /subscription/user/status",
  getUserGroupsByBody: "POST /subscription/user/status",
  setEmailStatus: "POST /email/status",
  blocklistEmails: "POST /email/blocklist",
  blacklistEmails: "POST /email/blacklist",
  removeBounces: "POST /email/bounce/remove",
  removeSpamMarks: "POST /email/spam/remove",
  listUnsubscribes: "GET /email/unsubscribes",
  listHardBounces: "GET /email/hard_bounces",
  listInvalidPhones: "GET /sms/invalid_phone_numbers",
  removeInvalidPhones: "POST /sms/invalid_phone_numbers/remove",
  createDashboardUser: "POST /scim/v2/Users",
  listDashboardUsers: "GET /scim/v2/Users",
  searchDashboardUsers: "POST /scim/v2/Users/.search",
  searchAll: "POST /scim/v2/.search",
  getDashboardUser: "GET /scim/v2/Users/:id",
  replaceDashboardUser: "PUT /scim/v2/Users/:id",
  patchDashboardUser: "PATCH /scim/v2/Users/:id",
  deleteDashboardUser: "DELETE /scim/v2/Users/:id",
  getScimConfig: "GET /scim/v2/ServiceProviderConfig",
  listScimSchemas: "GET /scim/v2/Schemas",
  getScimSchema: "GET /scim/v2/Schemas/:id",
  listScimResourceTypes: "GET /scim/v2/ResourceTypes",
  getScimResourceType: "GET /scim/v2/ResourceTypes/:id",
  createPreferenceCenter: "POST /preference_center/v1",
  listPreferenceCenters: "GET /preference_center/v1/list",
  getPreferenceCenter: "GET /preference_center/v1/:id",
  updatePreferenceCenter: "PUT /preference_center/v1/:id",
  postPreferenceCenter: "POST /preference_center/v1/:id",
  previewPreferenceCenter: "POST /preference_center/v1/:id/preview",
  getPreferenceCenterUrl: "GET /preference_center/v1/:id/url/:userID",
  listPreferenceCenterVersions: "GET /preference_center/v1/:id/versions",
  getPreferenceCenterVersion: "GET /preference_center/v1/:id/versions/:version",
  diffPreferenceCenterVersions: "GET /preference_center/v1/:id/versions/:version/diff",
  restorePreferenceCenterVersion: "POST /preference_center/v1/:id/versions/:version/restore",
  openPreferencePage: "GET /preferences/:token",
  submitPreferencePage: "POST /preferences/:token",
  getCampaignSource: "GET /campaigns/translations/source",
  putCampaignTranslation: "PUT /campaigns/translations",
  listCampaignTranslations: "GET /campaigns/translations",
  getCanvasSource: "GET /canvas/translations/source",
  putCanvasTranslation: "PUT /canvas/translations",
  listCanvasTranslations: "GET /canvas/translations",
  getCampaignSingularSource: "GET /campaign/translations/source",
  putCampaignSingularTranslation: "PUT /campaign/translations",
  listCampaignSingularTranslations: "GET /campaign/translations",
  showUnsubscribePage: "GET /unsubscribe/:token",
  unsubscribe: "POST /unsubscribe/:token",
  isAlive: "GET /livez",
  isReady: "GET /readyz",
  isGatewayReady: "GET /readyz/gateway",
  getOpenapi: "GET /openapi.json",
  showDocs: "GET /docs",
  showErrors: "GET /docs/errors",
  showGuide: "GET /docs/:page",
  showCall: "GET /docs/calls/:operation",
  getDocsAsset: "GET /docs/assets/:name",
  showConsole: "GET /console",
  showConsolePreview: "GET /console/preview",
  getConsoleAsset: "GET /console/assets/:name",
  getConsoleOverview: "GET /console/overview",
  inspectUsers: "POST /console/users",
  listPeople: "POST /console/people",
  listConsoleGroups: "GET /console/groups",
  searchPeople: "POST /console/people/search",
  listRejectedUsers: "GET /console/rejected",
  admitUser: "POST /console/rejected/admit",
  watchRequests: "GET /console/live",
  watchBodies: "GET /console/live/bodies",
  listTranslationMatrix: "GET /console/translations",
  examine: "GET /console/doctor",
  getLagHistory: "GET /console/lag",
  listProcesses: "GET /console/processes",
  listWaitingRecords: "GET /console/log",
  showWaitingRecords: "POST /console/log/records",
  redriveWaitingRecords: "POST /console/log/redrive",
  skipWaitingRecord: "POST /console/log/skip",
  getSeries: "GET /console/series",
  getRequestSeries: "GET /console/requests",
  compareDeclaration: "GET /console/declaration",
  getConsoleSession: "GET /console/session",
  openConsoleSession: "POST /console/session",
  endConsoleSession: "POST /console/session/end",
  endConsoleSessions: "POST /console/session/end-all",
  listKeys: "GET /console/keys",
  createKey: "POST /console/keys",
  rotateKey: "POST /console/keys/rotate",
  revokeKey: "POST /console/keys/revoke",
  listConsoleActions: "GET /console/actions",
} as const satisfies Readonly<Record<keyof Calls, string>>;

/** Calls whose repeat needs an Idempotency-Key to have one effect. */
export const writes: ReadonlySet<keyof Calls> = new Set<keyof Calls>([
  "trackUsers",
  "trackUsersSync",
  "trackUsersBulk",
  "createAliases",
  "updateAliases",
  "identifyUsers",
  "renameExternalIds",
  "removeExternalIds",
  "mergeUsers",
  "undoMerge",
  "deleteUsers",
  "setGroupStatus",
  "setGroupStatuses",
  "setEmailStatus",
  "blocklistEmails",
  "blacklistEmails",
  "removeBounces",
  "removeSpamMarks",
  "removeInvalidPhones",
  "createDashboardUser",
  "replaceDashboardUser",
  "patchDashboardUser",
  "createPreferenceCenter",
  "updatePreferenceCenter",
  "postPreferenceCenter",
  "restorePreferenceCenterVersion",
  "putCampaignTranslation",
  "putCanvasTranslation",
  "putCampaignSingularTranslation",
  "admitUser",
]);

/** Writes whose answers are not kept: no Idempotency-Key makes them safe to repeat. */
export const unkeptWrites: ReadonlySet<keyof Calls> = new Set<keyof Calls>([
  "redriveWaitingRecords",
  "skipWaitingRecord",
  "openConsoleSession",
  "endConsoleSession",
  "endConsoleSessions",
  "createKey",
  "rotateKey",
  "revokeKey",
]);

/** What one request may hold. */
export const batchLimits = { "trackUsers": { "objectsPerArray": 75, "objectsOfSmallPlans": 50, "bytes": 12582912 } } as const;
