/** A load whose end is that what was answered can be read. */
import { Agent } from "node:http";
import { type Asked, load, type LoadOptions, type LoadResult, sendUntilApplied } from "./load.ts";

/** A load that ends when its last object of each workspace can be read. */
export async function applied(url: string, asked: Omit<LoadOptions, "url">): Promise<LoadResult> {
  const open = new Map<number, Asked["headers"]>();
  /** By the key of a workspace: what it was answered last. */
  const positions = new Map<string, string>();
  const began = performance.now();
  const result = await load({
    url,
    ...asked,
    make(n) {
      const request = asked.make(n);
      open.set(n, request.headers);
      return request;
    },
    async onAnswer(n, answer) {
      const { authorization = "" } = open.get(n) ?? {};
      open.delete(n);
      const position = answer.headers["x-heddle-position"];
      if (position !== undefined) positions.set(authorization, String(position));
      await asked.onAnswer?.(n, answer);
    },
  });
  const agent = new Agent({ keepAlive: true });
  const read = { path: "/users/export/ids", body: Buffer.from('{"external_ids":["user-1"],"fields_to_export":["email"]}') };
  await Promise.all(
    [...positions].map(([authorization, position]) =>
      sendUntilApplied(agent, url, { ...read, headers: { authorization, "x-heddle-position": position } })
    ),
  );
  agent.destroy();
  return { ...result, seconds: (performance.now() - began) / 1000 };
}
