/** What the package @heddle/client gives. */
export {
  type Answer,
  type CallName,
  type CallOptions,
  type Client,
  type ClientOptions,
  type Input,
  openClient,
  type World,
} from "./client.ts";
export * from "./errors.ts";
export type * from "./gen/calls.ts";
export { Heddle, type HeddleOptions, isRefused, type Method, type MethodOptions, type Params } from "./heddle.ts";
export type { Loss, LostObject, QueueOptions } from "./queue.ts";
export type { Kind } from "./queue-batch.ts";
