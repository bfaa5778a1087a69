/** What the package of the client must do on every runtime: calls, a refusal, the queue. Plain JavaScript, as a worker takes nothing else. */

/** Gives what the tests compare; each run is about another user. */
export async function tryClient({ Heddle, RefusedError }, { url, key, id }) {
  const lost = [];
  const heddle = new Heddle({ url, key, queue: { onLoss: ({ reason }) => lost.push(reason) } });
  const { attributes_processed: processed } = await heddle.trackUsers({ attributes: [{ external_id: id, first_name: "Ann" }] });
  const refused = await heddle.trackUsers({ attributes: [] }).catch((error) => [error instanceof RefusedError, error.status, error.reason]);
  const ended = new AbortController();
  ended.abort("enough");
  const aborted = await heddle.exportUsers({ external_ids: [id] }, { signal: ended.signal }).catch(String);
  for (let at = 0; at < 200; at += 1) heddle.enqueue({ events: [{ external_id: id, name: "opened", time: "2026-11-20T10:00:00Z" }] });
  await heddle.flush();
  await heddle.shutdown();
  const asked = { external_ids: [id], fields_to_export: ["first_name", "custom_events"] };
  const { users: [user] } = await heddle.exportUsers(asked);
  return { processed, refused, aborted, lost, name: user.first_name, opened: user.custom_events[0].count };
}
