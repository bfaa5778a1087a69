/** What one process decides, applied at once: the effects of a step, and what they announce, until none is left. */
import type { Addressed } from "../domain/lane-item.ts";
import { type ApartUser, applyBatch } from "./apply-batch.ts";
import type { ApartParts } from "./apply-apart.ts";

/** Whom it worked on apart, in order. An announcement only goes to a user who waits for it, so this ends. */
export async function applyStep(parts: Omit<ApartParts, "announce">, items: readonly Addressed[]): Promise<ApartUser[]> {
  const apart: ApartUser[] = [];
  for (let next = items; next.length > 0;) {
    const announced: Addressed[] = [];
    apart.push(...await applyBatch({ ...parts, announce: (workspaceId, item) => collect(announced, { workspaceId, item }) }, next));
    next = announced;
  }
  return apart;
}

function collect(announced: Addressed[], item: Addressed): Promise<void> {
  announced.push(item);
  return Promise.resolve();
}
