/** Entity tags as If-Match and If-None-Match list them. */

/** Whether the list names the tag, or any; tags are compared weakly (RFC 9110 section 8.8.3.2). */
export function namesTag(list: string, etag: string): boolean {
  const wanted = opaque(etag);
  return list.split(",").map((tag) => tag.trim()).some((tag) => tag === "*" || opaque(tag) === wanted);
}

function opaque(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}
