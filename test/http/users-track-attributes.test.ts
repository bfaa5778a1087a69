/** POST /users/track: custom attributes with every operator, read back through the export. */
import { expect, test } from "vitest";
import { fresh, heddleSuite } from "../suite.ts";

const heddle = heddleSuite();

/** Attribute objects sent one request after another, and the custom attribute `v` afterwards (undefined: not there). */
const cases: readonly (readonly [title: string, steps: readonly object[], expected: unknown])[] = [
  ["keeps a string", [{ v: "text" }], "text"],
  ["keeps the empty string", [{ v: "" }], ""],
  ["keeps a boolean", [{ v: false }], false],
  ["keeps an integer", [{ v: 42 }], 42],
  ["keeps a float", [{ v: -0.125 }], -0.125],
  ["keeps zero", [{ v: 0 }], 0],
  ["keeps an array of scalars", [{ v: ["a", "b"] }], ["a", "b"]],
  ["keeps a nested object", [{ v: { a: 1, b: { c: [1, 2], d: "x" } } }], { a: 1, b: { c: [1, 2], d: "x" } }],
  ["keeps an array of objects", [{ v: [{ id: 1 }, { id: 2, n: { m: true } }] }], [{ id: 1 }, { id: 2, n: { m: true } }]],
  ["keeps text of all planes", [{ v: "ß 😀 漢 \u0301" }], "ß 😀 漢 \u0301"],
  ["keeps 255 characters", [{ v: "é".repeat(255) }], "é".repeat(255)],
  ["overwrites", [{ v: "old" }, { v: 2 }], 2],
  ["null removes", [{ v: "old" }, { v: null }], undefined],
  ["null on nothing is nothing", [{ v: null }], undefined],
  ["inc adds", [{ v: 5 }, { v: { inc: 3 } }], 8],
  ["inc takes away", [{ v: 5 }, { v: { inc: -7 } }], -2],
  ["inc starts at zero", [{ v: { inc: 4 } }], 4],
  ["inc adds each time", [{ v: { inc: 1 } }, { v: { inc: 1 } }, { v: { inc: 1 } }], 3],
  ["inc does nothing to a string", [{ v: "text" }, { v: { inc: 1 } }], "text"],
  ["add to nothing makes an array", [{ v: { add: ["a"] } }], ["a"]],
  ["add appends", [{ v: ["a"] }, { v: { add: ["b", "c"] } }], ["a", "b", "c"]],
  ["add of a member moves it to the end", [{ v: ["a", "b", "c"] }, { v: { add: ["a"] } }], ["b", "c", "a"]],
  ["initial duplicates collapse", [{ v: ["hotdog", "hotdog", "hotdog", "pizza"] }], ["hotdog", "pizza"]],
  ["remove takes members out", [{ v: ["a", "b", "c"] }, { v: { remove: ["b", "zzz"] } }], ["a", "c"]],
  ["remove from nothing is nothing", [{ v: ["a"] }, { v: { remove: ["b"] } }], ["a"]],
  ["add and remove in one object", [{ v: ["a", "b"] }, { v: { add: ["c"], remove: ["a"] } }], ["b", "c"]],
  ["add does nothing to a number", [{ v: 1 }, { v: { add: ["a"] } }], 1],
  ["an array holds 25 members, the oldest leave", [{ v: items(25) }, { v: { add: ["new"] } }], [...items(24, 1), "new"]],
  ["an array sent with 30 members keeps the newest 25", [{ v: items(30) }], items(25, 5)],
  ['1 and "1" are two members', [{ v: [1, "1"] }], [1, "1"]],
  ["$add appends objects", [{ v: [{ id: 1 }] }, { v: { $add: [{ id: 2 }, { id: 3 }] } }], [{ id: 1 }, { id: 2 }, { id: 3 }]],
  ["$add to nothing makes an array", [{ v: { $add: [{ id: 1 }] } }], [{ id: 1 }]],
  ["$remove takes out every match", [
    { v: [{ id: 1, a: 1 }, { id: 2 }, { id: 1, a: 2 }] },
    { v: { $remove: [{ $identifier_key: "id", $identifier_value: 1 }] } },
  ], [{ id: 2 }]],
  ["$update overwrites the matches' object", [
    { v: [{ id: 1, a: 1 }, { id: 2 }] },
    { v: { $update: [{ $identifier_key: "id", $identifier_value: 1, $new_object: { id: 1, b: 2 } }] } },
  ], [{ id: 1, b: 2 }, { id: 2 }]],
  ["$update merges deep with _merge_objects", [
    { v: [{ id: 1, a: { x: 1 } }, { id: 2 }] },
    { _merge_objects: true, v: { $update: [{ $identifier_key: "id", $identifier_value: 1, $new_object: { a: { y: 2 } } }] } },
  ], [{ id: 1, a: { x: 1, y: 2 } }, { id: 2 }]],
  ["operators together run add, remove, update", [
    { v: [{ id: 1 }, { id: 2 }] },
    {
      v: {
        $update: [{ $identifier_key: "id", $identifier_value: 3, $new_object: { id: 3, done: true } }],
        $remove: [{ $identifier_key: "id", $identifier_value: 1 }],
        $add: [{ id: 3 }, { id: 1 }],
      },
    },
  ], [{ id: 2 }, { id: 3, done: true }]],
  ["an object overwrites an object", [{ v: { a: 1, b: 2 } }, { v: { c: 3 } }], { c: 3 }],
  ["_merge_objects merges deep", [
    { v: { a: 1, b: { c: 2, d: 3 } } },
    { _merge_objects: true, v: { b: { d: 4, e: 5 }, f: 6 } },
  ], { a: 1, b: { c: 2, d: 4, e: 5 }, f: 6 }],
  ["_merge_objects false overwrites", [{ v: { a: 1 } }, { _merge_objects: false, v: { b: 2 } }], { b: 2 }],
  ["_merge_objects on nothing sets", [{ _merge_objects: true, v: { b: 2 } }], { b: 2 }],
  ["names of the language are plain nested data", [{ v: { constructor: "a", toString: 1, prototype: { x: 1 }, hasOwnProperty: false } }], {
    constructor: "a",
    toString: 1,
    prototype: { x: 1 },
    hasOwnProperty: false,
  }],
];

for (const [title, steps, expected] of cases) {
  test(`custom attribute: ${title}`, async () => {
    const id = fresh();
    for (const step of steps) await heddle.track({ attributes: [{ external_id: id, ...step }] });
    const custom = (await heddle.user(id)).custom_attributes ?? {};
    expect(custom.v).toEqual(expected);
    if (expected === undefined) expect(Object.keys(custom)).not.toContain("v");
  });
}

test("custom attribute: names of the language are plain names", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, constructor: "c", toString: "t", hasOwnProperty: 1, prototype: true }] });
  const custom = (await heddle.user(id)).custom_attributes ?? {};
  expect(Object.entries(custom).toSorted()).toEqual([["constructor", "c"], ["hasOwnProperty", 1], ["prototype", true], ["toString", "t"]]);
});

test("custom attribute: a name may have 255 characters", async () => {
  const id = fresh();
  const name = "n".repeat(255);
  await heddle.track({ attributes: [{ external_id: id, [name]: 1 }] });
  expect((await heddle.user(id)).custom_attributes).toEqual({ [name]: 1 });
});

test("custom attribute: a name of 256 characters is never kept whole or in part beside others", async () => {
  const id = fresh();
  const answer = await heddle.post("/users/track", { attributes: [{ external_id: id, ["n".repeat(256)]: 1 }, { external_id: id, ok: 1 }] });
  expect(answer.status).toBe(201);
  expect((await heddle.user(id)).custom_attributes).toEqual({ ok: 1 });
});

for (
  const [title, value] of [
    ["a key with a dot", { "a.b": 1 }],
    ["a key with a dollar sign", { "$a": 1 }],
    ["a key with a space", { "a b": 1 }],
    ["a null inside", { a: null, b: 1 }],
    ["more than 100 KB", { a: Array.from({ length: 1000 }, () => "x".repeat(200)) }],
  ] as const
) {
  test(`custom attribute: an object with ${title} changes nothing of what was there`, async () => {
    const id = fresh();
    await heddle.track({ attributes: [{ external_id: id, v: { kept: 1 } }] });
    const answer = await heddle.post("/users/track", { attributes: [{ external_id: id, v: value }, { external_id: id, after: true }] });
    expect(answer.status).toBe(201);
    expect((await heddle.user(id)).custom_attributes).toEqual({ v: { kept: 1 }, after: true });
  });
}

test("custom attribute: growing an object over 100 KB by $add changes nothing", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, v: eightyKilobytes(0) }] });
  await heddle.track({ attributes: [{ external_id: id, v: { $add: eightyKilobytes(100) } }] });
  expect((await heddle.user(id)).custom_attributes?.v).toEqual(eightyKilobytes(0));
});

test("custom attribute: arrays of arrays are refused or dropped, never kept", async () => {
  const id = fresh();
  await heddle.post("/users/track", { attributes: [{ external_id: id, ok: 1 }, { external_id: id, v: [["a"], ["b"]] }] });
  expect((await heddle.user(id)).custom_attributes).toEqual({ ok: 1 });
});

test("custom attribute: operators of a wrong type change nothing", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, n: 1, list: ["a"] }] });
  for (
    const wrong of [{ n: { inc: "x" } }, { n: { inc: null } }, { list: { add: [["b"]] } }, { list: { $remove: [{ $identifier_key: 1 }] } }]
  ) {
    await heddle.post("/users/track", { attributes: [{ external_id: id, ...wrong }] });
  }
  expect((await heddle.user(id)).custom_attributes).toEqual({ n: 1, list: ["a"] });
});

test("custom attribute: bio is dropped and never kept as a custom attribute", async () => {
  const id = fresh();
  await heddle.track({ attributes: [{ external_id: id, bio: "about me", ok: 1 }] });
  expect((await heddle.user(id)).custom_attributes).toEqual({ ok: 1 });
});

function items(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, at) => `i${at + from}`);
}

function eightyKilobytes(from: number): object[] {
  return Array.from({ length: 100 }, (_, at) => ({ id: from + at, text: "x".repeat(250), more: ["y".repeat(250), "z".repeat(240)] }));
}

test("null removes neither the external_id nor an alias", async () => {
  const id = fresh();
  const alias = { alias_label: "crm", alias_name: fresh() };
  await heddle.track({ attributes: [{ external_id: id, a: 1 }] });
  await heddle.accept("/users/alias/new", { user_aliases: [{ external_id: id, ...alias }] });
  const { braze_id } = await heddle.user(id);
  const by = [{ platform_id: braze_id, external_id: null }, { external_id: id, user_alias: null }, { external_id: id, user_aliases: null }];
  await heddle.post("/users/track", { attributes: by.map((one) => ({ ...one, b: 2 })) });
  expect(await heddle.user(id)).toMatchObject({ external_id: id, braze_id, user_aliases: [alias] });
});
