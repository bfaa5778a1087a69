/** A gateway over a service that answers the same to every call of the identity endpoints and keeps what it was asked. */
import { create } from "@bufbuild/protobuf";
import {
  CreateAliasesResponseSchema,
  DeleteUsersResponseSchema,
  GetMergeStatusResponseSchema,
  IdentifyUsersResponseSchema,
  MergeUsersResponseSchema,
  PreviewMergeResponseSchema,
  RemoveExternalIdsResponseSchema,
  RenameExternalIdsResponseSchema,
  UndoMergeResponseSchema,
  UpdateAliasesResponseSchema,
} from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { type ProfileStub, startStubGateway, type StubGateway } from "../../test/gateway-stub.ts";

let started: StubGateway | undefined;

/** For afterEach. */
export async function stopIdentityStub(): Promise<void> {
  await started?.gateway.close();
  started = undefined;
}

/** What the service was asked, by member names; the tests read it as plain data. */
type Asked = { [name: string]: unknown } & {
  aliases: never[];
  updates: never[];
  users: never[];
  identifications: { user: never; externalId: string }[];
};

export async function startIdentityStub(): Promise<StubGateway & { calls: Asked[] }> {
  const calls: Asked[] = [];
  function answering<T>(response: T): (request: unknown) => Promise<T> {
    return async (request) => {
      calls.push(request as Asked);
      return response;
    };
  }
  const receipt = { position: "p-1" };
  const profile: ProfileStub = {
    createAliases: answering(create(CreateAliasesResponseSchema, { aliasesProcessed: 1, ...receipt })),
    updateAliases: answering(create(UpdateAliasesResponseSchema, receipt)),
    mergeUsers: answering(create(MergeUsersResponseSchema, { jobId: "job-1", ...receipt })),
    previewMerge: answering(create(PreviewMergeResponseSchema, { resultJson: Buffer.from('{"external_id":"b"}') })),
    undoMerge: answering(create(UndoMergeResponseSchema, receipt)),
    getMergeStatus: answering(create(GetMergeStatusResponseSchema, {
      outcomes: [
        { index: 0, status: "merged", sourceUserId: "s", targetUserId: "t", undoUntil: 1_600_000_000_000n },
        { index: 1, status: "not_merged", reason: "no user has the external_id" },
      ],
    })),
    identifyUsers: answering(create(IdentifyUsersResponseSchema, { jobId: "job-2", ...receipt })),
    deleteUsers: answering(create(DeleteUsersResponseSchema, { deleted: 2, ...receipt })),
    renameExternalIds: answering(create(RenameExternalIdsResponseSchema, {
      renamed: [{ currentExternalId: "c", newExternalId: "d" }],
      errors: [{ type: "not the primary id", index: 1 }],
      ...receipt,
    })),
    removeExternalIds: answering(
      create(RemoveExternalIdsResponseSchema, { removedIds: ["abc"], errors: [{ type: "not deprecated", index: 1 }], ...receipt }),
    ),
  };
  started = await startStubGateway({ profile });
  return { ...started, calls };
}
