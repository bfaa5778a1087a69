/** The shape of a SCIM route and of the handlers behind it: what they are given and what they give back. */
import type { Client } from "@connectrpc/connect";
import type { ScimService } from "../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { Reading, RequestHeaders } from "./http-message.ts";
import type { LimitName } from "./limits-table.ts";

/** For holders of a SCIM token. */
export interface ScimRoute {
  readonly guard: "scim";
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A segment that starts with ":" is a parameter. */
  readonly path: string;
  readonly limit: LimitName;
  readonly takes: "write" | "read";
  /** 0: the route has no body. */
  readonly bodyBytesMax: number;
  readonly handler: ScimHandler;
}

/** Called when the token's origin and address are known to fit and the limit was spent. Throws a Refusal to refuse. */
type ScimHandler = (call: ScimCall, scim: Client<typeof ScimService>) => Promise<ScimReply>;

export interface ScimCall {
  readonly scope: ScimScope;
  readonly directory: ScimDirectory;
  /** The token may leave them out of accounts that it creates. */
  readonly permissionsOptional: boolean;
  readonly query: URLSearchParams;
  readonly headers: RequestHeaders;
  readonly body: Uint8Array;
  /** Values of the path's parameters, percent-decoded. */
  readonly params: ReadonlyMap<string, string>;
  readonly reading: Reading;
}

/** heddle.scim.v1.Scope */
export interface ScimScope {
  readonly companyId: string;
  readonly requestId: string;
  readonly actor: string;
  readonly origin: string;
  readonly method: string;
  readonly target: string;
  readonly idempotencyKey: string;
  /** With a key: SHA-256 of the body. */
  readonly sentHash?: Uint8Array;
  readonly baseUrl: string;
  /** Empty where the request is not recorded. */
  readonly traceparent: string;
}

/** heddle.scim.v1.Directory */
export interface ScimDirectory {
  readonly workspaces: { id: string; name: string; teams: { id: string; name: string }[] }[];
  readonly permissionSets: { id: string; name: string }[];
  readonly defaultWorkspaceId: string;
}

export interface ScimReply {
  readonly status: number;
  /** Empty for none. */
  readonly body: string | Uint8Array;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** The service has written the request into its log already. */
  readonly logged: boolean;
}
