/** Submitted forms as choices. */
import { expect, test } from "vitest";
import { choicesOf, type FormFields, globalField, type GlobalState, groupField } from "./form-choices.ts";

const a = groupField("a");
const b = groupField("b");

function choices(
  sent: Readonly<Record<string, string>>,
  page: Partial<FormFields> = {},
  of: { whole?: boolean; global?: GlobalState } = {},
) {
  const form: FormFields = { fields: new Set([a, b, globalField]), boxes: new Map(), ...page };
  const { global, groups } = choicesOf(new Map(Object.entries(sent)), form, { whole: of.whole ?? true, global: of.global ?? "subscribed" });
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

test.each([[a, "opted_in"], [a, "on"], [globalField, "yes"]])("choicesOf() refuses %s=%s", (field, value) => {
  expect(() => choices({ [field]: value })).toThrow(expect.objectContaining({ reason: "INPUT_INVALID" }));
});

test.each([
  ["subscribed", undefined, "subscribed", "unsubscribed"],
  ["unsubscribed", undefined, "subscribed", "subscribed"],
  ["on", undefined, "subscribed", undefined],
])("choicesOf() reads an empty box of a group with the value %s", (value, _, global, expected) => {
  expect(choices({}, { fields: new Set([a]), boxes: new Map([[a, value]]) }, { global: global as GlobalState })).toEqual(
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
  const page = { fields: new Set([globalField]), boxes: new Map([[globalField, value]]) };
  expect(choices({}, page, { global }).global).toBe(expected);
  expect(choices({}, page, { global, whole: false }).global).toBeUndefined();
});
