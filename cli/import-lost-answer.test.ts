/** heddle import where an answer was lost: of what may have been taken nothing is sent as something new. */
import { afterEach, beforeEach, expect, test } from "vitest";

import { openTarget, type Target } from "./import-server.fixture.ts";

let target: Target;

beforeEach(async () => {
  target = await openTarget();
});

afterEach(() => target.close());

function events(count: number): string {
  return Array.from({ length: count }, (_, at) => `{"type":"event","external_id":"u","name":"e${at}","time":"2026-01-01"}\n`).join("");
}

function namesTaken(): unknown[] {
  return [...target.taken.values()].flatMap((body) => (body["events"] ?? []).map((event) => event["name"]));
}

test.each([[401, "no"], [403, "no"], [404, "no such page"], [422, "no"], [400, "too many"], [413, "too large"]])(
  "import that gets a %i after an answer was lost sends that batch again as it was, and nothing twice",
  async (status, message) => {
    const file = target.write("a.ndjson", events(225));
    target.behave = (sent, answer) => {
      const nth = target.requests.length;
      if (nth === 1) return target.accept(sent, answer);
      if (nth > 2) return answer.json(status, { message });
      target.taken.set(sent.key, sent.body);
      answer.drop();
    };
    await expect(target.run(file)).rejects.toThrow(message);
    expect(target.requests).toHaveLength(3);
    target.behave = target.accept;
    expect(await target.run(file)).toBe(0);
    expect(namesTaken()).toEqual(Array.from({ length: 225 }, (_, at) => `e${at}`));
  },
);
