/** The ledger of the mesh: where a page of subjects may begin. */
import { expect, test } from "vitest";
import { limits } from "../limits.ts";
import { cassandraLedger } from "./cassandra.ts";

test.each(["x", "someone", ":a", "-1:a", "1.5:a", `${limits.cassandraBuckets}:a`])(
  "subjects() refuses %j, which no page gave",
  async (from) => {
    const { subjects } = cassandraLedger({ session: {}, heads: () => Promise.resolve(new Map()) } as never);
    await expect(subjects("w", { from, max: 1 })).rejects.toMatchObject({ reason: "INPUT_INVALID" });
  },
);
