/** Run on Node and on Deno by test/http/client.test.ts: sends users with the typed client, reads them back, and prints what came. */
import { argv } from "node:process";
import { AuthenticationError, Heddle } from "../client/index.ts";

const [url = "", key = "", id = ""] = argv.slice(2);
const heddle = new Heddle({ url, key });
const body = { attributes: [{ external_id: id, likes_tea: true }] };
const written = await heddle.trackUsers(body, { idempotencyKey: id });
const again = await heddle.call("trackUsers", { body }, { idempotencyKey: id });
heddle.enqueue({ attributes: [{ external_id: id, cups: { inc: 2 } }] });
await heddle.flush();
const read = await heddle.exportUsers({ external_ids: [id], fields_to_export: ["custom_attributes"] });
const refused = await new Heddle({ url, key: "a-wrong-key" }).exportUsers({ external_ids: [id] }).catch((error: unknown) =>
  error instanceof AuthenticationError ? `${error.status} ${error.reason}` : String(error)
);
await heddle.shutdown();
console.log(JSON.stringify({ written, replayed: again.replayed, users: read.users, refused }));
