/** The bodies of the bench: what a shop's back end sends, about a fixed number of users a workspace. */

/** 75 objects: 25 attribute objects with 5 attributes, 40 events with 3 properties, 10 purchases. */
export function mixedBody(n: number, users: number): Buffer {
  const time = timeOf(n);
  const attributes = range(25, (i) => ({
    external_id: userOf(n * 75 + i, users),
    first_name: "Ann",
    score: (n + i) % 1000,
    plan: i % 2 === 0 ? "basic" : "plus",
    active: i % 3 === 0,
    last_page: `/products/${(n * 7 + i) % 500}`,
  }));
  const events = range(40, (i) => ({
    external_id: userOf(n * 75 + 25 + i, users),
    name: i % 2 === 0 ? "page_viewed" : "cart_updated",
    time,
    properties: { page: `/products/${i}`, seconds: i, mobile: i % 2 === 0 },
  }));
  const purchases = range(10, (i) => ({
    external_id: userOf(n * 75 + 65 + i, users),
    product_id: `sku-${i}`,
    currency: "USD",
    price: 11.77 + i,
    quantity: 1,
    time,
  }));
  return Buffer.from(JSON.stringify({ attributes, events, purchases }));
}

/** One object a user: the nth 75 of a population being made. */
export function firstBody(n: number, users: number): Buffer {
  const first = n * 75;
  const attributes = range(Math.min(75, users - first), (i) => ({
    external_id: userOf(first + i, users),
    email: `user-${first + i}@example.com`,
    first_name: "Ann",
    score: i,
    plan: "basic",
    active: true,
    last_page: "/",
  }));
  return Buffer.from(JSON.stringify({ attributes }));
}

export function oneEventBody(n: number, users: number): Buffer {
  return Buffer.from(
    JSON.stringify({
      events: [{
        external_id: userOf(n, users),
        name: "page_viewed",
        time: timeOf(n),
        properties: { page: "/", seconds: 1, mobile: true },
      }],
    }),
  );
}

export function hotUserBody(n: number, objects: number): Buffer {
  const events = range(objects, () => ({ external_id: "hot", name: "page_viewed", time: timeOf(n) }));
  return Buffer.from(JSON.stringify({ attributes: [{ external_id: "hot", step: n }], events: events.slice(1) }));
}

/** Spreads requests over the users without following their order in the store. */
export function userOf(n: number, users: number): string {
  return `user-${(n * 7919) % users}`;
}

function timeOf(n: number): string {
  return new Date(Date.UTC(2026, 0, 1) + (n % 10_000) * 60_000).toISOString();
}

function range<T>(length: number, make: (i: number) => T): T[] {
  return Array.from({ length }, (_, i) => make(i));
}
