/** The bodies of the bench: what a shop's back end sends, about users that a load picks. */

export const bodyKinds = ["events", "attributes", "purchases", "mixed"] as const;
export type BodyKind = (typeof bodyKinds)[number];
export const pickings = ["uniform", "zipf", "new", "hot"] as const;
export type Picking = (typeof pickings)[number];

/** Whom the nth object of a load is about. */
export type Pick = (n: number) => string;

/** The first users of a Zipf distribution get the most; those of `new` are never named again. `run` keeps loads apart. */
export function picked(picking: Picking, users: number, run: string): Pick {
  switch (picking) {
    case "uniform":
      return (n) => userOf(n, users);
    case "zipf":
      return (n) => userOf(Math.floor(users ** fractionOf(n)) - 1, users);
    case "new":
      return (n) => `new-${run}-${n}`;
    case "hot":
      return () => "hot";
  }
}

/** A number from 0 to 1 that looks like chance and is the same for the same n. */
export function fractionOf(n: number): number {
  const mixed = Math.imul(n ^ (n >>> 16), 0x45d9f3b);
  const again = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return ((again ^ (again >>> 12)) >>> 0) / 2 ** 32;
}

/** The nth request of `objects` objects; of mixed ones a third sets attributes, half are events, the rest purchases. */
export function bodyOf(kind: BodyKind, n: number, { objects, pick }: { readonly objects: number; readonly pick: Pick }): Buffer {
  const first = n * objects;
  const user = (i: number): string => pick(first + i);
  if (kind === "attributes") return bytesOf({ attributes: range(objects, (i) => changeOf(user(i), n + i)) });
  if (kind === "events") return bytesOf({ events: range(objects, (i) => eventOf(user(i), n, i)) });
  if (kind === "purchases") return bytesOf({ purchases: range(objects, (i) => purchaseOf(user(i), n, i)) });
  const [attributes, events] = [Math.ceil(objects / 3), Math.floor(objects / 2)];
  return bytesOf({
    attributes: range(attributes, (i) => attributesOf(user(i), n, i)),
    events: range(events, (i) => eventOf(user(attributes + i), n, i)),
    purchases: range(objects - attributes - events, (i) => purchaseOf(user(attributes + events + i), n, i)),
  });
}

/** 75 objects: 25 attribute objects with 5 attributes, 40 events with 3 properties, 10 purchases. */
export function mixedBody(n: number, users: number): Buffer {
  const user = (i: number): string => userOf(n * 75 + i, users);
  return bytesOf({
    attributes: range(25, (i) => attributesOf(user(i), n, i)),
    events: range(40, (i) => eventOf(user(25 + i), n, i)),
    purchases: range(10, (i) => purchaseOf(user(65 + i), n, i)),
  });
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
  return bytesOf({ attributes });
}

export function oneEventBody(n: number, users: number): Buffer {
  return bytesOf({
    events: [{
      external_id: userOf(n, users),
      name: "page_viewed",
      time: timeOf(n),
      properties: { page: "/", seconds: 1, mobile: true },
    }],
  });
}

export function hotUserBody(n: number, objects: number): Buffer {
  const events = range(objects, () => ({ external_id: "hot", name: "page_viewed", time: timeOf(n) }));
  return bytesOf({ attributes: [{ external_id: "hot", step: n }], events: events.slice(1) });
}

/** Spreads requests over the users without following their order in the store. */
export function userOf(n: number, users: number): string {
  return `user-${(n * 7919) % users}`;
}

function attributesOf(user: string, n: number, i: number): object {
  return {
    external_id: user,
    first_name: "Ann",
    score: (n + i) % 1000,
    plan: i % 2 === 0 ? "basic" : "plus",
    active: i % 3 === 0,
    last_page: `/products/${(n * 7 + i) % 500}`,
  };
}

/** With operators: what is there decides what becomes of it. */
function changeOf(user: string, n: number): object {
  return {
    external_id: user,
    visits: { inc: 1 },
    seen: { add: [`page-${n % 20}`] },
    wanted: { remove: [`page-${n % 7}`] },
    score: n % 1000,
    last_page: `/products/${n % 500}`,
  };
}

function eventOf(user: string, n: number, i: number): object {
  return {
    external_id: user,
    name: i % 2 === 0 ? "page_viewed" : "cart_updated",
    time: timeOf(n),
    properties: { page: `/products/${i}`, seconds: i, mobile: i % 2 === 0 },
  };
}

function purchaseOf(user: string, n: number, i: number): object {
  return { external_id: user, product_id: `sku-${i % 10}`, currency: "USD", price: 11.77 + (i % 10), quantity: 1, time: timeOf(n) };
}

function timeOf(n: number): string {
  return new Date(Date.UTC(2026, 0, 1) + (n % 10_000) * 60_000).toISOString();
}

function bytesOf(body: object): Buffer {
  return Buffer.from(JSON.stringify(body));
}

function range<T>(length: number, make: (i: number) => T): T[] {
  return Array.from({ length }, (_, i) => make(i));
}
