/** What texts a translation must have. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { checkedTexts, tagProblem } from "./put-translation.ts";

const source = new Map([["id_0", "Hello"], ["id_1", "Bye"]]);

test("checkedTexts() gives the texts in the order of the source", () => {
  const texts = checkedTexts(source, new Map([["id_1", "Adiós"], ["id_0", "Hola {{${first_name}}}"]]));
  expect([...texts]).toEqual([["id_0", "Hola {{${first_name}}}"], ["id_1", "Adiós"]]);
});

test.each([
  ["none at all", new Map(), "The provided translations are missing 'id_0', 'id_1'"],
  ["one missing", new Map([["id_0", "Hola"]]), "The provided translations are missing 'id_1'"],
  [
    "one too many",
    new Map([...source, ["__proto__", "x"]]),
    "The provided translations have '__proto__', which the message does not have",
  ],
  [
    "an open tag",
    new Map([...source, ["id_1", "{{ x"]]),
    "The provided translations yielded errors when parsing. 'id_1': the tag '{{' is not closed",
  ],
  [
    "too much",
    new Map([...source, ["id_1", "x".repeat(limits.translationBytesMax)]]),
    "The provided translations have exceeded the maximum of 20MB.",
  ],
])("checkedTexts() refuses %s", (_what, texts, message) => {
  expect(() => checkedTexts(source, texts as Map<string, string>)).toThrow(message);
});

test.each([
  ["plain", undefined],
  ["{{a}} {% if b %}c{% endif %}", undefined],
  ["}} is text, and so is %}", undefined],
  ["{% if {{${first_name}}} == 'Ann' %}Hello{% endif %}", undefined],
  ["{% case {{a}} %}{% when '}}' %}b{% endcase %}", undefined],
  ["{{a", "the tag '{{' is not closed"],
  ["{% if", "the tag '{%' is not closed"],
  ["{{a {{b}}", "the tag '{{' is not closed"],
  ["{{a %}", "the tag '{{' is not closed"],
  ["{% if {{a %}", "the tag '{{' is not closed"],
  ["{% if {{a}} == 'b' ", "the tag '{%' is not closed"],
  ["{% if {% else %}", "the tag '{%' is not closed"],
  ["{{a {% if b %}}}", "the tag '{{' is not closed"],
])("tagProblem() of %s", (text, problem) => {
  expect(tagProblem(text)).toBe(problem);
});
