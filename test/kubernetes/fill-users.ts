/** Many users, written through a gateway of the production overlay: what a backup has to copy. */
import { kubectl } from "./cluster.ts";
import { production } from "./production-place.ts";

/** Resolves when all of them were taken: `filled-0` and so on. */
export async function fillUsers(key: string, count: number): Promise<void> {
  const script = `const headers = { authorization: "Bearer ${key}", "content-type": "application/json" };
    const perRequest = 75;
    let next = 0;
    async function write(body) {
      for (;;) {
        const answer = await fetch("http://127.0.0.1:8080/users/track", { method: "POST", headers, body });
        const text = await answer.text();
        if (answer.status === 201) return;
        // The log is as large as a small trial has it, and may be full for a while
        if (answer.status !== 503 && answer.status !== 429) throw new Error(answer.status + " " + text);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
    async function client() {
      while (next < ${count}) {
        const first = next;
        next += perRequest;
        const numbers = Array.from({ length: Math.min(perRequest, ${count} - first) }, (_, at) => first + at);
        const attributes = numbers.map((number) => {
          return { external_id: "filled-" + number, first_name: "User " + number, email: "user" + number + "@example.com", plan: number % 7 };
        });
        await write(JSON.stringify({ attributes }));
      }
    }
    await Promise.all(Array.from({ length: 4 }, client));`;
  const exec = ["-n", production, "exec", "deploy/gateway", "--", "node", "--input-type=module", "-e", script];
  await kubectl(exec, { timeoutMs: 3_600_000 });
}
