/** New users get numbers only while every process that lives would find them again. */
import { expect, test } from "vitest";
import { bucketMember, bucketMembers, laneMember } from "./bucket-members.ts";

test("a process of a build before, that still runs in a keyspace which was sealed, keeps users without numbers for as long as it lives", async () => {
  const living: string[] = [];
  const members = bucketMembers({ beat: (id) => Promise.resolve([id, ...living]), leave: () => Promise.resolve() });
  const id = `${bucketMember}1`;
  expect(members.knowNumbering()).toBeUndefined();
  expect(await members.beat(id, 1)).toEqual([id]);
  expect(members.knowNumbering()).toBe("buckets");
  living.push(`${bucketMember}2`, "proc_0190");
  await members.beat(id, 1);
  expect(members.knowNumbering()).toBeUndefined();
  living.pop();
  await members.beat(id, 1);
  expect(members.knowNumbering()).toBe("buckets");
});

test("numbers say the lane once every process that lives knows such numbers", async () => {
  const living = [`${bucketMember}1`];
  const members = bucketMembers({ beat: (id) => Promise.resolve([id, ...living]), leave: () => Promise.resolve() });
  const id = `${laneMember}1`;
  await members.beat(id, 1);
  expect(members.knowNumbering()).toBe("buckets");
  living.splice(0, 1, `${laneMember}2`);
  await members.beat(id, 1);
  expect(members.knowNumbering()).toBe("lanes");
});
