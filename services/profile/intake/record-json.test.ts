/** What an intake record says to a human. */
import { expect, test } from "vitest";
import { shownRecord } from "../../../platform/lane/shown-record.ts";
import { limits } from "../../../platform/limits.ts";
import { recordJson } from "./record-json.ts";
import { encodeRecord } from "./record-message.fixture.ts";

const said = { workspaceId: "w", requestId: "req-7", actor: "key", receivedAt: 5 };
const attributes = { array: "attributes" as const, index: 0, user: { by: "externalId" as const, id: "ann" } };

test("recordJson() shows the objects of a track as they were checked, and who asked", () => {
  const objects = [{ ...attributes, changes: [] }] as unknown as Parameters<typeof trackOf>[0];
  expect(recordJson(encodeRecord(trackOf(objects)))).toEqual({
    workspace_id: "w",
    origin: { request_id: "req-7", actor: "key", received_at: "5" },
    track: { objects },
  });
});

function trackOf(objects: Extract<Parameters<typeof encodeRecord>[0]["body"], { type: "track" }>["objects"]) {
  return { ...said, body: { type: "track" as const, objects } };
}

test("recordJson() shows another request with the names of the contract", () => {
  const body = { type: "renameExternalIds" as const, renames: [{ current: "a", next: "b" }] };
  expect(recordJson(encodeRecord({ ...said, body }))).toMatchObject({
    rename_external_ids: { renames: [{ current_external_id: "a", new_external_id: "b" }] },
  });
});

test("a record beyond what is shown, and one that is none, has its size and its first bytes alone", () => {
  const large = new Uint8Array(limits.shownBytesMax + 1).fill(1);
  const first = large.slice(0, limits.shownFirstBytes);
  expect(shownRecord(large, () => ({}))).toEqual({ json: "", size: limits.shownBytesMax + 1, first });
  expect(shownRecord(large.subarray(1), () => ({})).json).toBe("{}");
  expect(shownRecord(Uint8Array.of(255), recordJson)).toEqual({ json: "", size: 1, first: Uint8Array.of(255) });
});
