/** Values at the edge of JSON and of the language: one answer each, nothing changed that was not meant, and never a fault. */
import { afterAll, expect, test } from "vitest";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();
const path = "/users/track";
const time = "2026-03-01T12:00:00Z";

afterAll(async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, a: 1 }], events: [{ external_id: id, name: "e", time }] });
  const user = await heddle.user(id);
  expect(user.custom_attributes).toEqual({ a: 1 });
  expect(Object.keys(user)).not.toContain("polluted");
});

const tooLarge = "A number is too large";
const halfPair = "A text holds half of a surrogate pair";
const proto = "The name '__proto__' is not allowed";

/** The value as JSON text of the attribute `v`, and what is read back, or the verdict: one answer each (docs/users.md), on both runtimes. */
const values: readonly (readonly [title: string, json: string, told: { kept: unknown } | { verdict: string }])[] = [
  ["an overflowing number", "1e400", { verdict: tooLarge }],
  ["an overflowing number in an array", "[-1e400]", { verdict: tooLarge }],
  ["minus zero", "-0", { kept: 0 }],
  ["minus zero in an object", '{"n":-0.0}', { kept: { n: 0 } }],
  ["a small number", "5e-324", { kept: 5e-324 }],
  ["a number that is nearly nothing", "1e-400", { kept: 0 }],
  ["an integer of 30 digits", "123456789012345678901234567890", { kept: 1.2345678901234568e29 }],
  ["the largest exact integer", "9007199254740991", { kept: 9007199254740991 }],
  ["the first integer that is not exact", "9007199254740993", { kept: 9007199254740992 }],
  ["an escaped NUL", '"a\\u0000b"', { kept: "a\u0000b" }],
  ["a lone surrogate", '"a\\ud800b"', { verdict: halfPair }],
  ["a lone surrogate in an object", '{"a":"\\udc00"}', { verdict: halfPair }],
  ["an escaped pair", '"\\ud83d\\ude00"', { kept: "😀" }],
  ["an object with __proto__", '{"__proto__":{"polluted":true},"x":1}', { verdict: proto }],
  ["an object with an escaped __proto__", '{"\\u005f_proto__":{"polluted":true}}', { verdict: proto }],
  ["an object with constructor.prototype", '{"constructor":{"prototype":{"polluted":true}}}', {
    kept: { constructor: { prototype: { polluted: true } } },
  }],
  ["quotes and semicolons", JSON.stringify("'; DROP TABLE profiles; --"), { kept: "'; DROP TABLE profiles; --" }],
  ["question marks and wildcards", JSON.stringify("? %s $1 {} * > ."), { kept: "? %s $1 {} * > ." }],
  ["line ends and terminal codes", JSON.stringify("a\r\nb\u001b[31m"), { kept: "a\r\nb\u001b[31m" }],
];

for (const [title, json, told] of values) {
  test(`bad values: ${title} as attribute`, async () => {
    const id = fresh();
    const answer = await heddle.post(path, `{"attributes":[{"external_id":"${id}","v":${json}},{"external_id":"${id}","after":true}]}`);
    expect(answer.status, answer.text).toBe(201);
    const verdicts = "verdict" in told ? [{ type: `${told.verdict} (in 'v')`, input_array: "attributes", index: 0 }] : undefined;
    expect(answer.body.errors).toEqual(verdicts);
    const [user] = await heddle.find({ external_ids: [id] });
    expect(user?.custom_attributes).toEqual({ ..."kept" in told && { v: told.kept }, after: true });
  });
}

for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__", "valueOf"]) {
  test(`bad values: ${name} in every place for a name is plain data or refused`, async () => {
    const id = fresh();
    const quoted = JSON.stringify(name);
    for (
      const body of [
        `{"attributes":[{"external_id":"${id}",${quoted}:{"polluted":true}}]}`,
        `{"attributes":[{"external_id":"${id}","n":{${quoted}:{"polluted":true}}}]}`,
        `{"attributes":[{"external_id":"${id}",${quoted}:{"add":["polluted"]}}]}`,
        `{"attributes":[{"user_alias":{"alias_label":${quoted},"alias_name":${quoted}},"_update_existing_only":false,"a":1}]}`,
        `{"attributes":[{"external_id":${quoted},"polluted_id":true}]}`,
        `{"events":[{"external_id":"${id}","name":${quoted},"time":"${time}","properties":{${quoted}:1}}]}`,
        `{"purchases":[{"external_id":"${id}","product_id":${quoted},"currency":"USD","price":1,"time":"${time}"}]}`,
        `{${quoted}:{"polluted":true},"attributes":[{"external_id":"${id}","ok":1}]}`,
        `{"attributes":[{"external_id":"${id}","v":{"$update":[{"$identifier_key":${quoted},"$identifier_value":1,"$new_object":{"a":1}}]}}]}`,
      ]
    ) {
      const answer = await heddle.post(path, body);
      expect([201, 400], `${body}: ${answer.text}`).toContain(answer.status);
      expect(answer.body.message).toMatch(/\S/);
    }
    const other = fresh();
    await heddle.track({ attributes: [{ external_id: other, a: 1 }] });
    expect(JSON.stringify(await heddle.user(other))).not.toContain("polluted");
    const [named] = await heddle.find({ external_ids: [name] });
    expect(named).toMatchObject({ external_id: name, custom_attributes: { polluted_id: true } });
  });
}

test("bad values: ids with NUL, separators and look-alikes are different users or refused", async () => {
  const base = fresh();
  const ids = [
    base,
    `${base}\u0000`,
    `${base} `,
    ` ${base}`,
    `${base}\u200b`,
    `${base}\u0301`,
    `x:${base}`,
    `${base}/../x`,
    `${base}'--`,
    `${base}%00`,
    "e\u0301",
    "\u00e9",
  ];
  const answer = await heddle.post(path, { attributes: ids.map((external_id, at) => ({ external_id, at })) });
  expect([answer.status, answer.body.attributes_processed]).toEqual([201, ids.length - 1]);
  expect(answer.body.errors).toMatchObject([{ index: 1, type: expect.stringContaining("NUL") }]);
  for (const [at, id] of ids.entries()) {
    if (at === 1) continue;
    const [user] = await heddle.find({ external_ids: [id] });
    expect([user?.external_id, user?.custom_attributes?.at]).toEqual([id, at]);
  }
});

/** Two aliases that read the same where label and name are joined by the separator, and an object for each. */
function joinedAlike(separator: string) {
  const name = fresh();
  const aliases = [{ alias_label: "a", alias_name: `b${separator}${name}` }, { alias_label: `a${separator}b`, alias_name: name }];
  return { aliases, attributes: aliases.map((user_alias, v) => ({ user_alias, _update_existing_only: false, v })) };
}

for (const separator of [":", "/", ".", "|", ",", " ", "\u001f", "\\u0000"]) {
  test(`bad values: an alias whose parts are joined differently by ${JSON.stringify(separator)} is another alias`, async () => {
    const { aliases, attributes } = joinedAlike(separator);
    await heddle.track({ attributes });
    for (const [v, alias] of aliases.entries()) {
      expect(await heddle.find({ user_aliases: [alias] })).toMatchObject([{ user_aliases: [alias], custom_attributes: { v } }]);
    }
  });
}

test("bad values: an alias that holds NUL, which joins its parts in the rows, is refused", async () => {
  const { attributes } = joinedAlike("\u0000");
  const answer = await heddle.post(path, { attributes });
  expect(answer.status).toBe(400);
  expect(answer.body.errors).toMatchObject([0, 1].map((index) => ({ index, type: expect.stringContaining("NUL") })));
});

for (
  const [array, fields] of [
    ["attributes", [
      "external_id",
      "user_alias",
      "platform_id",
      "email",
      "phone",
      "_update_existing_only",
      "_merge_objects",
      "first_name",
      "country",
      "dob",
      "gender",
      "current_location",
      "email_subscribe",
      "push_subscribe",
      "subscription_groups",
      "push_tokens",
      "facebook",
      "twitter",
      "custom",
    ]],
    ["events", ["external_id", "user_alias", "app_id", "name", "time", "properties", "_update_existing_only"]],
    ["purchases", [
      "external_id",
      "user_alias",
      "app_id",
      "product_id",
      "currency",
      "price",
      "quantity",
      "time",
      "properties",
      "_update_existing_only",
    ]],
  ] as const
) {
  test(`bad values: any type in any field of ${array} is answered, never a fault`, async () => {
    const wrongs = [null, true, 0, -1, 1e308, "", "text", [], [null], [[[]]], {}, { a: null }, { $add: 1 }, { inc: {} }, {
      add: "x",
      remove: 1,
    }, { $time: 5 }];
    for (const field of fields) {
      const objects = wrongs.map((wrong) => ({
        external_id: fresh(),
        name: "e",
        product_id: "p",
        currency: "USD",
        price: 1,
        time,
        [field]: wrong,
      }));
      const answer = await heddle.post(path, { [array]: objects });
      expect([201, 400], `${field}: ${answer.text}`).toContain(answer.status);
      const processed = Number(answer.body[`${array}_processed`] ?? 0);
      const refused = new Set(answer.body.errors?.filter((error) => error.field === undefined).map(({ index }) => index));
      expect(processed + refused.size, field).toBe(wrongs.length);
    }
  });
  test(`bad values: elements of ${array} that are no objects are verdicts`, async () => {
    const good = { external_id: fresh(), name: "e", product_id: "p", currency: "USD", price: 1, time };
    const answer = await heddle.post(path, { [array]: [null, 1, "a", true, [], [good], good] });
    expect(answer.status).toBe(201);
    expect(answer.body.errors?.map((error) => error.index)).toEqual([0, 1, 2, 3, 4, 5]);
  });
}
