/** On the mesh: the event of a deleted dashboard user goes out in the stream of events, once. */
import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { readConfig } from "../../platform/config.ts";
import { openEventStream } from "../../platform/events/jetstream.ts";
import { silentLogger } from "../../platform/logger.ts";
import { readEvents } from "../../platform/mesh-config.ts";
import { ScimUserDeletedSchema } from "../../proto/gen/heddle/scim/v1/scim_event_pb.ts";
import { scimSuite } from "../scim.ts";

const scim = scimSuite();

test("scim.user.deleted.v1 goes out once for a user that was deleted", async () => {
  const events = await openEventStream({ ...readConfig(scim.heddle.commandEnv, readEvents), logger: silentLogger });
  try {
    const { id, userName } = await scim.create();
    expect((await scim.call("DELETE", `Users/${id}`)).status).toBe(204);
    expect((await scim.call("DELETE", `Users/${id}`)).status).toBe(404);
    const told = async () =>
      (await events.read(0, { max: 100, subject: "scim.user.deleted.v1" })).map(({ key, body }) => {
        const { userId, userName: name } = fromBinary(ScimUserDeletedSchema, body);
        return { key, userId, name };
      });
    await expect.poll(told).toEqual([{ key: id, userId: id, name: userName }]);
  } finally {
    await events.close();
  }
});
