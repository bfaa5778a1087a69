/** The driver's control connection, which does not bear being refreshed twice at a time. */
import { setImmediate } from "node:timers/promises";
import cassandra from "cassandra-driver";
import { expect, test } from "vitest";
import { type ControlConnection, refreshOneAtATime } from "./control-connection.ts";

/** As that of the driver: what it has is gone from the start of a refresh, and counted on at its end. */
function openControl({ fails = false } = {}) {
  const seen = { begun: 0, under: 0, most: 0, retried: 0 };
  const control: ControlConnection = {
    connection: {},
    async _refresh(hosts) {
      if (hosts !== undefined) return void (seen.retried += 1);
      seen.begun += 1;
      seen.under += 1;
      seen.most = Math.max(seen.most, seen.under);
      this.connection = null;
      await setImmediate();
      if (!fails) this.connection = {};
      await setImmediate();
      await this._refresh(["the next"]);
      seen.under -= 1;
    },
  };
  refreshOneAtATime(control);
  return { control, seen };
}

test("is refreshed one at a time, and once more for all who asked meanwhile", async () => {
  const { control, seen } = openControl();
  await Promise.all([control._refresh(), control._refresh(), control._refresh()]);
  expect(seen).toEqual({ begun: 2, under: 0, most: 1, retried: 2 });
  await control._refresh();
  expect(seen).toMatchObject({ begun: 3, most: 1 });
});

test("is not refreshed once more where it got no connection: its timer does that", async () => {
  const { control, seen } = openControl({ fails: true });
  await Promise.all([control._refresh(), control._refresh()]);
  expect(seen).toMatchObject({ begun: 1, most: 1 });
});

test("a refresh that failed does not keep others from theirs", async () => {
  const control: ControlConnection = { connection: null, _refresh: () => Promise.reject(new Error("away")) };
  refreshOneAtATime(control);
  await expect(control._refresh()).rejects.toThrow("away");
  control.connection = {};
  await expect(control._refresh()).rejects.toThrow("away");
});

test("is where this version of the driver has it", () => {
  const { controlConnection } = new cassandra.Client({ contactPoints: ["127.0.0.1"], localDataCenter: "one" }) as unknown as {
    readonly controlConnection: Partial<ControlConnection>;
  };
  expect(controlConnection).toMatchObject({ connection: null, _refresh: expect.any(Function) as unknown });
});
