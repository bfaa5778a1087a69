/** New users get numbers only while every process that lives would find them again. */
import { expect, test } from "vitest";
import { bucketMember, bucketMembers } from "./bucket-members.ts";

test("a process of a build before, that still runs in a keyspace which was sealed, keeps users without numbers for as long as it lives", async () => {
  const living: string[] = [];
  const members = bucketMembers({ beat: (id) => Promise.resolve([id, ...living]), leave: () => Promise.resolve() });
  const id = `${bucketMember}1`;
  expect(members.knowBuckets()).toBe(false);
  expect(await members.beat(id, 1)).toEqual([id]);
  expect(members.knowBuckets()).toBe(true);
  living.push(`${bucketMember}2`, "proc_0190");
  await members.beat(id, 1);
  expect(members.knowBuckets()).toBe(false);
  living.pop();
  await members.beat(id, 1);
  expect(members.knowBuckets()).toBe(true);
});
