/** Run on Node and on Deno by test/http/client.test.ts: sends a user with the typed client, reads it back, and prints what came. */
import { argv } from "node:process";
import { openClient, RefusedError } from "../client/client.ts";

const [url = "", key = "", id = ""] = argv.slice(2);
const client = openClient({ url, key });
const written = await client.call("trackUsers", { body: { attributes: [{ external_id: id, likes_tea: true }] } }, { idempotencyKey: id });
const again = await client.call("trackUsers", { body: { attributes: [{ external_id: id, likes_tea: true }] } }, { idempotencyKey: id });
const read = await client.call("exportUsers", { body: { external_ids: [id], fields_to_export: ["custom_attributes"] } });
const refused = await openClient({ url, key: "a-wrong-key" }).call("exportUsers", { body: { external_ids: [id] } }).catch((
  error: unknown,
) => error instanceof RefusedError ? `${error.status} ${error.reason}` : String(error));
console.log(JSON.stringify({ written: written.body, replayed: again.replayed, users: read.body.users, refused }));
