/** The parts of a declaration about hosted pages, which the content service owns: preference centers, and what their pages may load and run. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { CenterState, type LinkTagSchema } from "../../../proto/gen/heddle/content/v1/content_service_pb.ts";
import { readItem, refuseTwice } from "./declaration-holders.ts";
import type { DeclarationReader, Place } from "./declaration-reader.ts";
import type { DeclaredPages } from "./declared.ts";

type Center = DeclaredPages["centers"][number];
type LinkTag = MessageInitShape<typeof LinkTagSchema>;

/** Fields of a workspace. */
export const pageFields = ["preferenceCenters", "pages"];

/** Undefined where the workspace has none of the fields. HTML, names and origins are checked by the service. */
export function readPages(reader: DeclarationReader, fields: ReadonlyMap<string, Place>): DeclaredPages | undefined {
  if (!pageFields.some((name) => fields.has(name))) return undefined;
  const settings = fields.get("pages");
  const centers = reader.items(fields.get("preferenceCenters")).map((item) => readCenter(reader, item));
  refuseTwice(reader, centers, { what: "preference center", by: ({ name }) => name });
  refuseTwice(reader, centers, { what: "preference center id", by: ({ id }) => id });
  return { settings: settings && readSettings(reader, settings), centers: centers.map(({ line: _line, ...center }) => center) };
}

function readSettings(reader: DeclarationReader, place: Place): NonNullable<DeclaredPages["settings"]> {
  const fields = reader.fields(place, ["scripts", "origins"]);
  const scripts = fields.get("scripts");
  return {
    scriptsAllowed: (scripts && reader.flag(scripts)) ?? false,
    origins: reader.items(fields.get("origins")).map((item) => reader.text(item) ?? ""),
  };
}

const texts = { title: "title", page: "pageHtml", confirmation: "confirmationHtml", redirect: "redirectHtml" } as const;

function readCenter(
  reader: DeclarationReader,
  item: Place,
): Center & { readonly line: number; readonly name: string; readonly id: string } {
  const fields = reader.fields(item, ["id", "name", "state", "viewport", "links", ...Object.keys(texts)]);
  const { line, name, id = "" } = readItem(reader, item, fields);
  const sent = Object.entries(texts).flatMap(([field, key]) => {
    const place = fields.get(field);
    return place ? [[key, reader.text(place) ?? ""]] : [];
  });
  const [state, viewport, links] = [fields.get("state"), fields.get("viewport"), fields.get("links")];
  const options = viewport === undefined && links === undefined ? {} : {
    options: {
      metaViewportContent: (viewport && reader.text(viewport)) ?? "",
      linkTags: reader.items(links).map((link) => readLink(reader, link)),
    },
  };
  return {
    line,
    name,
    id,
    content: { ...Object.fromEntries(sent), ...options, ...(state && { state: readState(reader, state) }) },
  };
}

function readState(reader: DeclarationReader, place: Place): CenterState {
  const state = reader.text(place);
  if (state === "draft") return CenterState.DRAFT;
  if (state !== "active" && state !== undefined) reader.refuse(place, `unknown state "${state}"; it is one of active, draft`);
  return CenterState.ACTIVE;
}

function readLink(reader: DeclarationReader, place: Place): LinkTag {
  const fields = reader.fields(place, ["rel", "type", "sizes", "color", "href"]);
  return Object.fromEntries([...fields].map(([name, field]) => [name, reader.text(field) ?? ""]));
}
