/** Sends a user and an event, reads the user back and its groups, and shows a refusal, by the types of openapi-typescript. */
import createClient from "openapi-fetch";
import type { paths } from "./heddle.d.ts";

const [url = "", key = "", id = ""] = process.argv.slice(2);
const heddle = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${key}` } });

const tracked = await heddle.POST("/users/track", {
  params: { header: { "Idempotency-Key": id } },
  body: {
    attributes: [{ external_id: id, first_name: "Ann", visits: { inc: 1 } }],
    events: [{ external_id: id, name: "signed_up", time: "2026-11-20T10:00:00Z" }],
    purchases: [{ external_id: id, product_id: "sku-1", currency: "USD", price: 11.77, time: "2026-11-20T10:05:00Z" }],
  },
});
const exported = await heddle.POST("/users/export/ids", {
  body: { external_ids: [id], fields_to_export: ["first_name", "total_revenue"] },
});
const groups = await heddle.GET("/subscription/user/status", { params: { query: { external_id: [id] } } });
const refused = await heddle.POST("/users/track", { body: { events: [] } });

console.log(JSON.stringify({
  processed: [tracked.data?.attributes_processed, tracked.data?.events_processed, tracked.data?.purchases_processed],
  name: exported.data?.users[0]?.first_name,
  revenue: exported.data?.users[0]?.total_revenue,
  status: groups.data?.users[0]?.external_id,
  refused: [refused.response.status, refused.response.headers.get("x-heddle-reason"), refused.error?.message],
}));
