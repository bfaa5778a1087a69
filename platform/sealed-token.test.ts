/** A token opens for its key and purpose alone, and not when one bit of it is another. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { newSealKey, ownersKey, seal, sealedBy, unseal } from "./sealed-token.ts";

const key = newSealKey(7);

test("unseal() gives back what was sealed", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }).filter((text) => text.isWellFormed()), (text) => {
    const token = seal(key, { purpose: "link" }, text);
    expect(token).toMatch(/^[\w-]+$/);
    expect(sealedBy(token)).toEqual({ id: 7, owner: undefined });
    expect(unseal(key, "link", token)).toBe(text);
  }));
});

test("unseal() takes neither another key nor another purpose", () => {
  const token = seal(key, { purpose: "link" }, "text");
  expect(unseal(newSealKey(7), "link", token)).toBeUndefined();
  expect(unseal({ ...key, id: 8 }, "link", token)).toBeUndefined();
  expect(unseal(key, "other", token)).toBeUndefined();
});

test("of 100,000 forged tokens none opens", () => {
  const token = seal(key, { purpose: "link" }, JSON.stringify({ workspace: "w", email: "a@b.org" }));
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  let opened = 0;
  for (let made = 0; made < 100_000; made += 1) {
    const at = made % token.length;
    const shift = 1 + Math.floor(made / token.length) % (letters.length - 1);
    const letter = letters[(letters.indexOf(token[at] ?? "") + shift) % letters.length] ?? "";
    const forged = token.slice(0, at) + letter + token.slice(at + 1);
    if (unseal(key, "link", forged) !== undefined) opened += 1;
  }
  expect(opened).toBe(0);
});

test.each([
  "",
  "a",
  "====",
  "%%%",
  "A".repeat(43),
  `${seal(key, { purpose: "link" }, "x")}=`,
  ` ${seal(key, { purpose: "link" }, "x")}`,
  `${seal(key, { purpose: "link" }, "x")}A`,
])(
  "unseal() takes no %j",
  (text) => expect(unseal(key, "link", text)).toBeUndefined(),
);

test("a token says whose key opens it, and no other owner's does, nor the key that both are made of", () => {
  const [ann, bob] = ["ann", "bob"].map((owner) => ownersKey(key, owner)) as [typeof key, typeof key];
  const token = seal(ann, { purpose: "link", owner: "ann" }, "text");
  expect(sealedBy(token)).toEqual({ id: 7, owner: "ann" });
  expect(unseal(ann, "link", token)).toBe("text");
  for (const other of [bob, key]) expect(unseal(other, "link", token)).toBeUndefined();
  const forged = Buffer.from(token, "base64url");
  forged.write("bob", 5);
  for (const other of [ann, bob]) expect(unseal(other, "link", forged.toString("base64url"))).toBeUndefined();
});
