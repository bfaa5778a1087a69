/** The shape of a SCIM route and of the handlers behind it: what they are given and what they give back. */
import type { Message, MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { DirectorySchema, ScimService, Scope } from "../../proto/gen/heddle/scim/v1/scim_service_pb.ts";
import type { Reading, RequestHeaders } from "../http/http-message.ts";
import type { LimitName } from "../access/limits-table.ts";

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

/** A deletion has one effect anyway. */
export function takesIdempotencyKey({ takes, bodyBytesMax }: ScimRoute): boolean {
  return takes === "write" && bodyBytesMax > 0;
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

export type ScimScope = Omit<Scope, keyof Message | "sentHash"> & Partial<Pick<Scope, "sentHash">>;

export type ScimDirectory = MessageInitShape<typeof DirectorySchema>;

export interface ScimReply {
  readonly status: number;
  /** Empty for none. */
  readonly body: string | Uint8Array;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** The service has written the request into its log already. */
  readonly logged: boolean;
}
