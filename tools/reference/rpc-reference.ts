/** docs/rpc.md from the contract: services, calls, messages and enums with the comments that the contract has. */
import { execFileSync } from "node:child_process";
import { fromBinary } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  type FileDescriptorProto,
  FileDescriptorSetSchema,
  type ServiceDescriptorProto,
} from "@bufbuild/protobuf/wkt";

/** Asks buf for the contract in `folder`. */
export function rpcMarkdown(folder: string): string {
  const set = execFileSync("buf", ["build", folder, "--as-file-descriptor-set", "-o", "-"], { maxBuffer: imageBytesMax });
  const files = fromBinary(FileDescriptorSetSchema, set).file.filter(({ package: name }) => name?.startsWith("heddle."));
  const services = files.filter(({ service }) => service.length > 0).toSorted((a, b) => (a.package ?? "").localeCompare(b.package ?? ""));
  const records = files.filter(({ service }) => service.length === 0);
  return `# The contract between the parts

Generated from [proto/](../proto) by \`npm run reference\`. Calls are Connect-RPC over HTTP/2 in the mesh and direct calls in the
embedded shape; refusals travel with their reason ([errors.md](errors.md)). Fields are given as \`name: type\`.

${services.map(fileText).join("\n")}
# Records of the log and of the lanes

${records.map(fileText).join("\n")}`;
}

const imageBytesMax = 16 * 1024 * 1024;
/** Numbers of fields in descriptor.proto, of which the paths of comments are made. */
const at = { message: 4, enum: 5, service: 6, field: 2, nested: 3, nestedEnum: 4, method: 2, value: 2 } as const;

/** The comment at a place of the file, on one line. */
type Comments = (path: readonly number[]) => string;

function fileText(file: FileDescriptorProto): string {
  const known = new Map((file.sourceCodeInfo?.location ?? []).map(({ path, leadingComments }) => [path.join("."), leadingComments ?? ""]));
  function comments(path: readonly number[]): string {
    return flowing(known.get(path.join(".")) ?? "");
  }
  const services = file.service.map((service, index) => serviceText(service, [at.service, index], comments));
  const messages = file.messageType.flatMap((message, index) => messageText(message, [at.message, index], comments));
  const enums = file.enumType.map((each, index) => enumText(each, [at.enum, index], comments));
  return [`## ${file.package}\n`, ...services, ...messages, ...enums].join("\n");
}

function serviceText(service: ServiceDescriptorProto, path: readonly number[], comments: Comments): string {
  const rows = service.method.map((method, index) =>
    row([`\`${method.name}\``, `\`${short(method.inputType)}\``, `\`${short(method.outputType)}\``, comments([...path, at.method, index])])
  );
  return `### ${service.name}\n\n${comments(path)}\n\n| Call | Takes | Gives | |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
}

function messageText(message: DescriptorProto, path: readonly number[], comments: Comments): string[] {
  if (message.options?.mapEntry) return [];
  const rows = message.field.map((field, index) =>
    row([String(field.number), `\`${field.name}: ${fieldType(field, message)}\``, comments([...path, at.field, index])])
  );
  const intro = comments(path);
  const table = rows.length === 0 ? "No fields.\n" : `| | Field | |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
  return [
    `#### ${message.name}\n\n${intro === "" ? "" : `${intro}\n\n`}${table}`,
    ...message.nestedType.flatMap((nested, index) => messageText(nested, [...path, at.nested, index], comments)),
    ...message.enumType.map((nested, index) => enumText(nested, [...path, at.nestedEnum, index], comments)),
  ];
}

function enumText(each: EnumDescriptorProto, path: readonly number[], comments: Comments): string {
  const rows = each.value.map(({ name, number }, index) => row([String(number), `\`${name}\``, comments([...path, at.value, index])]));
  const intro = comments(path);
  return `#### ${each.name}\n\n${intro === "" ? "" : `${intro}\n\n`}| | Value | |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
}

function fieldType(field: FieldDescriptorProto, message: DescriptorProto): string {
  const entry = message.nestedType.find((nested) => nested.options?.mapEntry && field.typeName?.endsWith(`.${nested.name}`));
  if (entry) return `map<${entry.field.map((each) => fieldType(each, entry)).join(", ")}>`;
  const named = field.typeName === "" || field.typeName === undefined
    ? FieldDescriptorProto_Type[field.type].toLowerCase()
    : short(field.typeName);
  if (field.label === FieldDescriptorProto_Label.REPEATED) return `repeated ${named}`;
  return field.proto3Optional ? `optional ${named}` : named;
}

/** The last part of `.heddle.profile.v1.Scope`. */
function short(typeName: string | undefined): string {
  return typeName?.split(".").at(-1) ?? "";
}

function flowing(comment: string): string {
  return comment.trim().split("\n").map((line) => line.trim()).join(" ").replaceAll("|", "\\|");
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
