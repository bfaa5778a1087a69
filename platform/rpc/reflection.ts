/** grpc.reflection.v1: a running server gives tools its contract, from the generated descriptors. */
import { type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponseSchema,
} from "../../proto/gen/grpc/reflection/v1/reflection_pb.ts";
import { limits } from "../limits.ts";
import { type RpcRoute, rpcRoute } from "./guard.ts";

type Answer = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]>;

/** Describes `services`, itself among them, and the files that they are declared with. */
export function reflectionRoute(services: readonly DescService[]): RpcRoute {
  const all = [...services, ServerReflection];
  const files = filesOf(all.map((service) => service.file));
  const symbols = symbolsOf(files.values());
  function answer({ messageRequest: { case: kind, value } }: ServerReflectionRequest): Answer {
    if (kind === "listServices") {
      return { case: "listServicesResponse", value: { service: all.map(({ typeName }) => ({ name: typeName })) } };
    }
    if (kind === "fileByFilename") return fileAnswer(files.get(value), value);
    if (kind === "fileContainingSymbol") return fileAnswer(symbols.get(value), value);
    // Our contracts extend no messages, so no file holds an extension
    if (kind === "allExtensionNumbersOfType" && symbols.has(value)) {
      return { case: "allExtensionNumbersResponse", value: { baseTypeName: value, extensionNumber: [] } };
    }
    return kind === undefined ? problem(invalidArgument, "Expected a question") : problem(notFound, "No such symbol");
  }
  return rpcRoute(ServerReflection, {
    async *serverReflectionInfo(questions) {
      for await (const question of questions) {
        yield { validHost: question.host, originalRequest: question, messageResponse: answer(question) };
      }
    },
  });
}

const invalidArgument = 3;
const notFound = 5;

function problem(errorCode: number, errorMessage: string): Answer {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}

/** The file and all that it imports, so that a tool needs to ask only once. */
function fileAnswer(file: DescFile | undefined, name: string): Answer {
  if (file === undefined) return problem(notFound, `Nothing here is named "${name.slice(0, limits.reflectionSymbolCharsMax)}"`);
  const fileDescriptorProto = [...filesOf([file]).values()].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function filesOf(roots: readonly DescFile[]): Map<string, DescFile> {
  const files = new Map<string, DescFile>();
  function add(file: DescFile): void {
    if (files.has(file.proto.name)) return;
    files.set(file.proto.name, file);
    for (const imported of file.dependencies) add(imported);
  }
  for (const root of roots) add(root);
  return files;
}

function symbolsOf(files: Iterable<DescFile>): Map<string, DescFile> {
  const symbols = new Map<string, DescFile>();
  for (const file of files) {
    for (const service of file.services) {
      symbols.set(service.typeName, file);
      for (const method of service.methods) symbols.set(`${service.typeName}.${method.name}`, file);
    }
    for (const message of file.messages) addMessage(symbols, message, file);
    for (const { typeName } of file.enums) symbols.set(typeName, file);
  }
  return symbols;
}

function addMessage(symbols: Map<string, DescFile>, message: DescFile["messages"][number], file: DescFile): void {
  symbols.set(message.typeName, file);
  for (const field of message.fields) symbols.set(`${message.typeName}.${field.name}`, file);
  for (const { typeName } of message.nestedEnums) symbols.set(typeName, file);
  for (const nested of message.nestedMessages) addMessage(symbols, nested, file);
}
