/** Submitted forms as choices. */
import { expect, test } from "vitest";
import { boxField, choicesOf, fieldMark, globalField, type GlobalState, groupField, sentForm, stateField } from "./form-choices.ts";

const a = groupField("a");
const b = groupField("b");

interface Sent {
  readonly boxes?: readonly (readonly [field: string, value: string])[];
  readonly whole?: boolean;
  readonly global?: GlobalState;
}

function choices(sent: Readonly<Record<string, string>>, { boxes = [], whole = true, global: now = "subscribed" }: Sent = {}) {
  const marks = boxes.map(([field, value]) => [boxField, fieldMark(field, value)] as const);
  const form = sentForm([...marks, ...Object.entries(sent)]);
  const { global, groups } = choicesOf(form, new Set([a, b, globalField]), { whole, global: now });
  return { global, ...Object.fromEntries(groups) };
}

test("choicesOf() takes the states that were sent, and no other names", () => {
  expect(choices({ [a]: "subscribed", [b]: "unsubscribed", [globalField]: "opted_in", other: "x", [groupField("c")]: "subscribed" }))
    .toEqual({
      a: "subscribed",
      b: "unsubscribed",
      global: "opted_in",
    });
  expect(choices({ [a]: "", [globalField]: "" })).toEqual({ global: undefined });
});

test("choicesOf() takes an id with dots as what it is, a group, also where its box is left empty", () => {
  const [field, other] = [groupField("news.weekly"), groupField("a.subscribed")];
  const form = sentForm([[field, "subscribed"], [boxField, fieldMark(other, "subscribed")]]);
  expect(choicesOf(form, new Set([field, other]), { whole: true, global: "opted_in" })).toEqual({
    groups: new Map([["news.weekly", "subscribed"], ["a.subscribed", "unsubscribed"]]),
  });
});

test.each([[a, "opted_in"], [a, "on"], [globalField, "yes"]])("choicesOf() refuses %s=%s", (field, value) => {
  expect(() => choices({ [field]: value })).toThrow(expect.objectContaining({ reason: "INPUT_INVALID" }));
});

test.each([
  ["subscribed", undefined, "subscribed", "unsubscribed"],
  ["unsubscribed", undefined, "subscribed", "subscribed"],
  ["on", undefined, "subscribed", undefined],
])("choicesOf() reads an empty box of a group with the value %s", (value, _, global, expected) => {
  expect(choices({}, { boxes: [[a, value]], global: global as GlobalState })).toEqual(
    expected === undefined ? { global: undefined } : { global: undefined, a: expected },
  );
});

test.each(
  [
    ["opted_in", "subscribed", "unsubscribed"],
    ["unsubscribed", "unsubscribed", "subscribed"],
    ["unsubscribed", "opted_in", undefined],
    ["unsubscribed", "subscribed", undefined],
  ] as const,
)("choicesOf() reads an empty box of all email with the value %s while it is %s as %s", (value, global, expected) => {
  const boxes = [[globalField, value]] as const;
  expect(choices({}, { boxes, global }).global).toBe(expected);
  expect(choices({}, { boxes, global, whole: false }).global).toBeUndefined();
});

test("choicesOf() reads only those boxes as empty that stood in the form, and none whose values differ there", () => {
  expect(choices({ [a]: "subscribed" }, { boxes: [[a, "subscribed"]] })).toEqual({ global: undefined, a: "subscribed" });
  expect(choices({}, { boxes: [[a, "subscribed"], [a, "subscribed"]] })).toEqual({ global: undefined, a: "unsubscribed" });
  expect(choices({}, { boxes: [[a, "subscribed"], [a, "unsubscribed"], [a, "subscribed"]] })).toEqual({ global: undefined });
  expect(choices({}, { boxes: [[groupField("c"), "subscribed"], ["", ""]] })).toEqual({ global: undefined });
});

test("sentForm() takes what the page says that it showed, as far as those are states of its fields", () => {
  const said = [
    fieldMark(a, "subscribed"),
    fieldMark(globalField, "opted_in"),
    fieldMark(b, "opted_in"),
    fieldMark("x", "subscribed"),
    "x",
    "",
  ];
  expect(sentForm(said.map((one) => [stateField, one] as const)).shown).toEqual({
    global: "opted_in",
    groups: new Map([["a", "subscribed"]]),
  });
});

test.each([["unsubscribed", "subscribed"], ["subscribed", undefined], ["opted_in", undefined]])(
  "choicesOf() takes an emptied unsubscribe back only where the page showed it: of %s, %s",
  (shown, expected) => {
    const form = sentForm([[stateField, fieldMark(globalField, shown)], [boxField, fieldMark(globalField, "unsubscribed")]]);
    expect(choicesOf(form, new Set([globalField]), { whole: true, global: "unsubscribed" }).global).toBe(expected);
  },
);
