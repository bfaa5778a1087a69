/** Where this process reaches a gateway of the cluster. */
import { env } from "node:process";
import { heddleKubectl, kubectl } from "./cluster.ts";
import { forwardGateway } from "./port-forward.ts";

const answerMsMax = 2_000;

/** HEDDLE_TEST_URL where it is given, else the NodePort where it answers, else a port-forward. */
export async function reachGateway(): Promise<Reached> {
  const url = env.HEDDLE_TEST_URL ?? await nodePort();
  return url === undefined ? { ...await forwardGateway(), forwarded: true } : { url, forwarded: false, close: () => {} };
}

async function nodePort(): Promise<string | undefined> {
  const port = await heddleKubectl("get", "service", "gateway-node-port", "-o", "jsonpath={.spec.ports[0].nodePort}").catch(() => "");
  const address = await kubectl(["get", "nodes", "-o", 'jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}']);
  if (port === "" || address === "") return undefined;
  const url = `http://${address}:${port}`;
  const answered = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(answerMsMax) }).catch(() => undefined);
  await answered?.body?.cancel();
  return answered?.ok ? url : undefined;
}

export interface Reached {
  readonly url: string;
  /** Through `kubectl port-forward`, which may not outlive connections that are cut on purpose. */
  readonly forwarded: boolean;
  close(): void;
}
