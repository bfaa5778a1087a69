/** Which batch a message of a stream was published with. */
import { Buffer } from "node:buffer";
import { askApi, type JetStreamConnection } from "./jetstream-connection.ts";

/** Undefined where it was published by itself. */
export async function publishedBatch(connection: JetStreamConnection, stream: string, seq: number): Promise<string | undefined> {
  const answer = await askApi<{ message: { hdrs?: string } }>(connection, { subject: `STREAM.MSG.GET.${stream}`, body: { seq } });
  return /Nats-Batch-Id: (\S+)/.exec(Buffer.from(answer?.message.hdrs ?? "", "base64").toString())?.[1];
}
