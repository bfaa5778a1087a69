/** A client of another kind, @grpc/grpc-js, against the port of its first argument: prints what it saw as one JSON line. */
import process from "node:process";
import { create, type DescMethod, fromBinary, type MessageInitShape, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { limits } from "../limits.ts";
import { Health } from "../../proto/gen/grpc/health/v1/health_pb.ts";
import { ServerReflection } from "../../proto/gen/grpc/reflection/v1/reflection_pb.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";

const client = new Client(`127.0.0.1:${process.argv[2]}`, credentials.createInsecure(), { "grpc.max_send_message_length": -1 });

function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

interface Options {
  readonly caller?: string;
  readonly deadlineMs?: number;
}

function call<Method extends DescMethod>(method: Method, init: MessageInitShape<Method["input"]>, options: Options = {}) {
  const metadata = new Metadata();
  if (options.caller !== undefined) metadata.set("heddle-caller", options.caller);
  return new Promise<MessageShape<Method["output"]> | ServiceError>((resolve) => {
    client.makeUnaryRequest(
      pathOf(method),
      (message: MessageShape<Method["input"]>) => Buffer.from(toBinary(method.input, message)),
      (bytes) => fromBinary<Method["output"]>(method.output, bytes),
      create(method.input, init) as MessageShape<Method["input"]>,
      metadata,
      { deadline: Date.now() + (options.deadlineMs ?? 5_000) },
      (error, answer) => resolve(error ?? answer as MessageShape<Method["output"]>),
    );
  });
}

function track(requestId: string, options: Options & { bytes?: number } = { caller: "foreign" }) {
  const bodyJson = new Uint8Array(options.bytes ?? 1);
  return call(ProfileService.method.trackUsers, { scope: { workspaceId: "ws", requestId }, bodyJson }, options);
}

function seen(answer: object): Record<string, unknown> {
  if (!("metadata" in answer)) return JSON.parse(JSON.stringify(answer));
  const { code, details, metadata } = answer as ServiceError;
  return {
    code,
    details,
    reason: metadata.get("heddle-reason")[0],
    faultId: typeof metadata.get("heddle-fault-id")[0],
    all: JSON.stringify(metadata.getMap()),
  };
}

async function reflect(): Promise<unknown> {
  const { serverReflectionInfo: method } = ServerReflection.method;
  const stream = client.makeBidiStreamRequest(
    pathOf(method),
    (message: MessageShape<typeof method.input>) => Buffer.from(toBinary(method.input, message)),
    (bytes) => fromBinary(method.output, bytes),
    new Metadata(),
  );
  const questions = [
    { case: "listServices", value: "" },
    { case: "fileContainingSymbol", value: "heddle.profile.v1.ProfileService.TrackUsers" },
    { case: "fileContainingSymbol", value: "no.such.Thing" },
  ] as const;
  for (const messageRequest of questions) stream.write(create(method.input, { host: "h", messageRequest }));
  stream.end();
  const answers: unknown[] = [];
  for await (const { messageResponse: { case: kind, value } } of stream as AsyncIterable<MessageShape<typeof method.output>>) {
    if (kind === "listServicesResponse") answers.push(value.service.map(({ name }) => name));
    if (kind === "errorResponse") answers.push(value.errorCode);
    if (kind === "fileDescriptorResponse") {
      answers.push(value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name));
    }
  }
  return answers;
}

async function watchOnce(): Promise<unknown> {
  const { watch } = Health.method;
  const stream = client.makeServerStreamRequest(
    pathOf(watch),
    (message: MessageShape<typeof watch.input>) => Buffer.from(toBinary(watch.input, message)),
    (bytes) => fromBinary(watch.output, bytes),
    create(watch.input, { service: ProfileService.typeName }),
    new Metadata(),
  );
  stream.on("error", () => {});
  for await (const { status } of stream as AsyncIterable<MessageShape<typeof watch.output>>) {
    stream.cancel();
    return status;
  }
}

const begun = performance.now();
const waited = seen(await track("wait", { caller: "foreign", deadlineMs: 300 }));
const waitedMs = performance.now() - begun;
const result = {
  unary: seen(await track("ok")),
  refused: seen(await track("refuse")),
  refusedWithMany: seen(await track("refuse", { caller: "foreign", bytes: 1_000 })),
  failed: seen(await track("fail")),
  waited,
  waitedMs,
  nameless: seen(await track("ok", {})),
  tooLarge: seen(await track("ok", { caller: "foreign", bytes: limits.rpcMessageBytesMax + 1 })),
  missing: seen(await call(ProfileService.method.exportUsers, {}, { caller: "foreign" })),
  health: seen(await call(Health.method.check, {})),
  healthOfUnknown: seen(await call(Health.method.check, { service: "no.such" })),
  watched: await watchOnce(),
  reflected: await reflect(),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
client.close();
process.exit(0);
