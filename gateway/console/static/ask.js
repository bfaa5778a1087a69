/** Calls of the API by the session of this browser. No key is kept here: it is in a cookie that scripts cannot read. */

/** What the API refused, in its own words; `status` 0: nobody answered, or not all of it came. */
export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

let whenSignedOut;

/** What is to happen when the session is over. */
export function onSignedOut(listener) {
  whenSignedOut = listener;
}

/** The answer's JSON; `call` is `METHOD /path`. Throws Refused. */
export async function ask(call, body, { key, signal } = {}) {
  const response = await send(call, { body, key, signal });
  const answer = await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) return answer;
  // A proxy may answer with a page of its own
  if (response.ok) throw new Refused("The answer is not of Heddle, or was cut short", 0);
  if (key === undefined) noteStatus(response.status);
  throw refusedBy(answer ?? {}, response.status);
}

/** Whoever is told 401 is signed in no more. */
function noteStatus(status) {
  if (status === 401) whenSignedOut?.();
}

function refusedBy(answer, status) {
  const told = answer.errors?.[0]?.type ?? answer.errors?.[0];
  return new Refused(answer.message ?? (typeof told === "string" ? told : `The server answered ${status}`), status);
}

/** The server says something every 10 s: a connection that is silent for longer has gone, though it was not closed. */
const silentMs = 30_000;

/** Events of the server as they come, `{ id, event, data }`, until it ends the answer. Throws Refused, also where it falls silent. */
export async function* follow(path, { lastId, signal }) {
  const silence = new AbortController();
  let timer;
  function heard() {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(new Refused("The server does not answer", 0)), silentMs);
  }
  heard();
  try {
    yield* eventsOf(path, { lastId, signal: AbortSignal.any([signal, silence.signal]), heard });
  } finally {
    clearTimeout(timer);
  }
}

async function* eventsOf(path, { lastId, signal, heard }) {
  const response = await send(`GET ${path}`, { signal, more: { accept: "text/event-stream", ...(lastId && { "last-event-id": lastId }) } });
  if (!response.ok) {
    noteStatus(response.status);
    throw refusedBy(await response.json().catch(() => ({})), response.status);
  }
  let left = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    heard();
    if (done) return;
    const blocks = (left + value).split("\n\n");
    left = blocks.pop();
    for (const block of blocks) {
      const lines = block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
      const { id, event, data } = Object.fromEntries(lines);
      if (event) yield { id, event, data: JSON.parse(data) };
    }
  }
}

/** The answer itself, for those who read it as it comes. */
export async function send(call, { body, key, signal, more } = {}) {
  const [method, path] = call.split(" ");
  const headers = {
    // What a page that came by TLS takes no cookie of a plain one for
    "x-heddle-console": location.protocol === "https:" ? "tls" : "1",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...more,
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  try {
    return await fetch(path, {
      method,
      headers,
      cache: "no-store",
      credentials: "same-origin",
      ...(signal && { signal }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused("The server does not answer", 0);
  }
}

/** What `*` does not stand for: the whole installation, and what was sent of people. */
const byNameAlone = ["console.operate", "console.bodies"];

/** May the key of the session do this? */
export function may(session, permission) {
  const { permissions } = session.key;
  return permissions.includes(permission) || (!byNameAlone.includes(permission) && permissions.includes("*"));
}
