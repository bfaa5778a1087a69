/** Writes to one partition go together: a statement costs more than a row does. */
import { limits } from "../limits.ts";
import type { Session, Statement } from "./session.ts";

export interface PartitionWrite {
  /** Of Cassandra. */
  readonly partition: string;
  /** All or none of them. */
  readonly statements: readonly Statement[];
}

/** As few writes as there may be, each as large as a batch should be; the statements of each that is given stay together, in order. */
export function intoBatches(writes: readonly PartitionWrite[]): PartitionWrite[] {
  const batches: PartitionWrite[] = [];
  const open = new Map<string, { statements: Statement[]; size: number }>();
  for (const { partition, statements } of writes) {
    const size = sizeOf(statements);
    const filling = open.get(partition);
    if (filling !== undefined && filling.size + size <= limits.cassandraBatchBytesAim) {
      filling.statements.push(...statements);
      filling.size += size;
      continue;
    }
    const begun = { statements: [...statements], size };
    open.set(partition, begun);
    batches.push({ partition, statements: begun.statements });
  }
  return batches;
}

/** Bytes of a batch that the statements fill; small ones count as much as a hundredth, as they are work by their number. */
export function sizeOf(statements: readonly Statement[]): number {
  const least = Math.floor(limits.cassandraBatchBytesAim / limits.cassandraBatchStatementsMax);
  return statements.reduce((sum, { values: { body } }) => {
    return sum + Math.max(least, body instanceof Uint8Array || typeof body === "string" ? body.length : 0);
  }, 0);
}

/** One partition's, all or none of them. */
export async function write(session: Session, statements: readonly Statement[]): Promise<void> {
  const [only] = statements;
  if (only !== undefined && statements.length === 1) await session.execute(only);
  else if (only !== undefined) await session.batch(statements);
}
