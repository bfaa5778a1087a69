/** Calls of the API by the session of this browser. No key is kept here: it is in a cookie that scripts cannot read. */

/** What the API refused, in its own words; `status` 0: nobody answered. */
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
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  if (response.status === 401 && key === undefined) whenSignedOut?.();
  const told = answer.errors?.[0]?.type ?? answer.errors?.[0];
  throw new Refused(answer.message ?? (typeof told === "string" ? told : `The server answered ${response.status}`), response.status);
}

/** The answer itself, for those who read it as it comes. */
export async function send(call, { body, key, signal } = {}) {
  const [method, path] = call.split(" ");
  const headers = {
    "x-heddle-console": "1",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
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

/** May the key of the session do this? `*` stands for all but what concerns the whole installation. */
export function may(session, permission) {
  const { permissions } = session.key;
  return permissions.includes(permission) || (permission !== "console.operate" && permissions.includes("*"));
}
