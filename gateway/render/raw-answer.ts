/** An answer for a bare socket, where the request was so malformed that there is no response object to send it with. */
import type { HttpAnswer } from "../http/http-message.ts";

/** The whole answer as HTTP/1.1 text, at that time in Unix milliseconds; the connection closes after it. */
export function rawAnswer(answer: HttpAnswer, requestId: string, now: number): string {
  const body = typeof answer.body === "string" ? answer.body : Buffer.from(answer.body).toString("utf8");
  const lines = [
    `HTTP/1.1 ${answer.status} ${phrases.get(answer.status) ?? "Error"}`,
    `Date: ${new Date(now).toUTCString()}`,
    "Content-Type: application/json",
    `X-Request-Id: ${requestId}`,
    "Cache-Control: no-store",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  for (let at = 0; at + 1 < answer.headers.length; at += 2) lines.push(`${answer.headers[at]}: ${answer.headers[at + 1]}`);
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

const phrases: ReadonlyMap<number, string> = new Map([
  [400, "Bad Request"],
  [408, "Request Timeout"],
  [431, "Request Header Fields Too Large"],
]);
