/** Preference centers as the API shows them. */
import {
  CenterState,
  type PageOptions,
  type PreferenceCenterContent,
  type PreferenceCenterVersion,
} from "../../proto/gen/heddle/content/v1/content_service_pb.ts";

/** `2022-09-22T18:28:07+00:00`, as these routes write times (api-facts 6). */
export function centerTime(at: bigint | undefined): string {
  return `${new Date(Number(at ?? 0)).toISOString().slice(0, secondsEnd)}+00:00`;
}

const secondsEnd = "2022-09-22T18:28:07".length;

/** The fields of a content under the names and in the order of the specification. */
export function contentJson(content: PreferenceCenterContent | undefined): Readonly<Record<string, unknown>> {
  return {
    preference_center_title: content?.title,
    preference_center_page_html: content?.pageHtml,
    confirmation_page_html: content?.confirmationHtml,
    redirect_page_html: content?.redirectHtml ?? null,
    preference_center_options: optionsJson(content?.options),
    state: content?.state === CenterState.DRAFT ? "draft" : "active",
  };
}

export function versionJson(written: PreferenceCenterVersion | undefined): Readonly<Record<string, unknown>> {
  return {
    version: written?.version,
    written_at: centerTime(written?.writtenAt),
    written_by: written?.actor,
    request_id: written?.requestId,
    ...(written?.restoredFrom ? { restored_from: written.restoredFrom } : {}),
  };
}

function optionsJson(options: PageOptions | undefined): Readonly<Record<string, unknown>> {
  const { metaViewportContent = "", linkTags = [] } = options ?? {};
  return {
    ...(metaViewportContent === "" ? {} : { "meta-viewport-content": metaViewportContent }),
    ...(linkTags.length === 0 ? {} : {
      "links-tags": linkTags.map(({ rel, type, sizes, color, href }) => ({
        rel,
        ...(type === "" ? {} : { type }),
        ...(sizes === "" ? {} : { sizes }),
        ...(color === "" ? {} : { color }),
        href,
      })),
    }),
  };
}
