/** A message of protobuf in binary, field by field: on paths where each request comes by, as `toBinary` costs three times as much. */
import { Buffer } from "node:buffer";
import { limits } from "./limits.ts";

/** The numbers of a message's fields, by name. */
export function fieldNumbers<Fields extends Readonly<Record<string, { readonly number: number }>>>(
  { field }: { readonly field: Fields },
): Record<keyof Fields, number> {
  return Object.fromEntries(Object.entries(field).map(([name, { number }]) => [name, number])) as Record<keyof Fields, number>;
}

/**
 * Fields of one message, which are written in the order of their numbers. A text that is empty and a number that is 0 are not written. One is made for a kind of message
 * and used for all of them, as to allocate its bytes costs as much as to write them.
 */
export class MessageBytes {
  #buffer = new Uint8Array(bytesAtFirst);
  #length = 0;

  clear(): void {
    this.#length = 0;
    if (this.#buffer.byteLength > limits.messageBytesReusedMax) this.#buffer = new Uint8Array(bytesAtFirst);
  }

  /** All of it, which does not change with the next message. */
  take(): Uint8Array {
    return Buffer.from(this.bytes());
  }

  /** Until the next write. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  string(field: number, text: string): void {
    if (text !== "") this.listed(field, text);
  }

  /** One of several, which may be empty. */
  listed(field: number, text: string): void {
    this.#reserve(text.length * utf8BytesMax + 2 * varintBytesMax);
    this.#varint(field * 8 + lengthDelimited);
    const { length } = text;
    const begin = this.#length;
    // The length comes first: it is known where all is ASCII, which is the most common by far
    this.#varint(length);
    const buffer = this.#buffer;
    let at = this.#length;
    for (let index = 0; index < length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > asciiMax) {
        this.#length = begin;
        return this.#utf8(text);
      }
      buffer[at] = code;
      at += 1;
    }
    this.#length = at;
  }

  number(field: number, value: number): void {
    if (value === 0) return;
    this.#reserve(2 * varintBytesMax);
    this.#varint(field * 8 + varint);
    this.#varint(value);
  }

  message(field: number, message: MessageBytes): void {
    this.blob(field, message.bytes());
  }

  blob(field: number, bytes: Uint8Array): void {
    this.#reserve(bytes.byteLength + 2 * varintBytesMax);
    this.#varint(field * 8 + lengthDelimited);
    this.#varint(bytes.byteLength);
    this.#set(bytes);
  }

  /** Fields that are written already, at their place. */
  written(fields: Uint8Array): void {
    this.#reserve(fields.byteLength);
    this.#set(fields);
  }

  #utf8(text: string): void {
    const bytes = utf8.encode(text);
    this.#varint(bytes.byteLength);
    this.#set(bytes);
  }

  #set(bytes: Uint8Array): void {
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.byteLength;
  }

  /** Sequences may be above 2^31: no bit operations. */
  #varint(value: number): void {
    let left = value;
    while (left > varintMax) {
      this.#buffer[this.#length] = (left % varintBase) + varintBase;
      this.#length += 1;
      left = Math.floor(left / varintBase);
    }
    this.#buffer[this.#length] = left;
    this.#length += 1;
  }

  #reserve(more: number): void {
    const wanted = this.#length + more;
    if (wanted <= this.#buffer.byteLength) return;
    const larger = new Uint8Array(Math.max(wanted, 2 * this.#buffer.byteLength));
    larger.set(this.bytes());
    this.#buffer = larger;
  }
}

const utf8 = new TextEncoder();
const bytesAtFirst = 256;
const utf8BytesMax = 3;
const asciiMax = 0x7f;
const varintMax = 0x7f;
const varintBase = 0x80;
const lengthDelimited = 2;
const varint = 0;
const varintBytesMax = 10;
