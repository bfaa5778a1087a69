/** Messages about preference centers to domain values and back. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { namesOf, numbersOf } from "../../../platform/enum-names.ts";
import { idempotencyHashesOf } from "../../../platform/intake/idempotency.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { type Scoped, scopeOf } from "../../../platform/request-context.ts";
import {
  CenterState,
  type PageOptions as PageOptionsMessage,
  type PreferenceCenterContent,
} from "../../../proto/gen/heddle/content/v1/content_service_pb.ts";
import type { Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { CenterContent, CenterSummary, CenterVersion, LinkTag, PageOptions } from "../domain/center.ts";
import type { Caller } from "../domain/center-ports.ts";
import type { ContentDraft } from "../domain/check-center.ts";

/** Refuses INPUT_INVALID for a request that names no workspace. */
export function callerOf(message: Scoped<Scope>): Caller {
  const { workspaceId, requestId, actor } = scopeOf(message);
  return { workspaceId, requestId, actor };
}

/** As callerOf, with the mark of a request that may be sent twice: a key counts for its actor and for one kind of request. */
export function writerOf<Asked extends DescMessage>(schema: Asked, message: MessageShape<Asked> & Scoped<Scope>): Caller {
  const idempotency = idempotencyHashesOf(schema, message, schema.typeName);
  return { ...callerOf(message), ...(idempotency && { idempotency }) };
}

export function draftOf(message: PreferenceCenterContent | undefined): ContentDraft {
  if (message === undefined) return {};
  const { title, pageHtml, confirmationHtml, redirectHtml, options, state } = message;
  return {
    ...(title === undefined ? {} : { title }),
    ...(pageHtml === undefined ? {} : { pageHtml }),
    ...(confirmationHtml === undefined ? {} : { confirmationHtml }),
    ...(redirectHtml === undefined ? {} : { redirectHtml }),
    ...(options === undefined ? {} : { options: optionsOf(options) }),
    ...(state === CenterState.UNSPECIFIED ? {} : { state: stateNames.get(state) ?? refuseState() }),
  };
}

export function contentMessage(content: CenterContent) {
  const { title, pageHtml, confirmationHtml, redirectHtml, options, state } = content;
  return {
    title,
    pageHtml,
    confirmationHtml,
    ...(redirectHtml === null ? {} : { redirectHtml }),
    options: { metaViewportContent: options.viewport ?? "", linkTags: options.linkTags.map((tag) => ({ ...tag })) },
    state: stateNumbers[state],
  };
}

export function summaryMessage(summary: CenterSummary) {
  const { id, name, version, createdAt, updatedAt, state } = summary;
  return { id, name, version, createdAt: BigInt(createdAt), updatedAt: BigInt(updatedAt), state: stateNumbers[state] };
}

export function versionMessage(written: CenterVersion) {
  const { version, writtenAt, actor, requestId, restoredFrom = 0 } = written;
  return { version, writtenAt: BigInt(writtenAt), actor, requestId, restoredFrom };
}

const stateNumbers = numbersOf(CenterState);
const stateNames = namesOf(CenterState);

function refuseState(): never {
  throw new Refusal("INPUT_INVALID", "'state' must be 'active' or 'draft'");
}

function optionsOf({ metaViewportContent, linkTags }: PageOptionsMessage): PageOptions {
  return {
    ...(metaViewportContent === "" ? {} : { viewport: metaViewportContent }),
    linkTags: linkTags.map(({ rel, type, sizes, color, href }): LinkTag => ({
      rel,
      ...(type === "" ? {} : { type }),
      ...(sizes === "" ? {} : { sizes }),
      ...(color === "" ? {} : { color }),
      href,
    })),
  };
}
