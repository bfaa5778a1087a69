/**
 * heddle.profile.v1.ProfileUserUpdated in binary, as `toBinary` would write it: every change of a profile comes by here, and
 * that one costs three times as much.
 */
import { ChangePlaceSchema, ProfileUserUpdatedSchema, UpdatedUserSchema } from "../../../proto/gen/heddle/profile/v1/profile_event_pb.ts";
import type { Mark } from "../domain/profile.ts";
import type { UserId } from "../domain/user-key.ts";
import type { Changed } from "./changed-names.ts";

export interface UpdatedUser {
  readonly userId: UserId;
  readonly mark: Mark;
  readonly externalId: string;
  readonly names: Changed;
}

export function updatedMessage(eventId: string, workspaceId: string, users: Iterable<UpdatedUser>): Uint8Array {
  const event = new MessageBytes();
  event.string(inEvent.eventId, eventId);
  event.string(inEvent.workspaceId, workspaceId);
  const user = new MessageBytes();
  const place = new MessageBytes();
  for (const one of users) {
    writeUser(user, place, one);
    event.message(inEvent.users, user);
    user.clear();
  }
  return event.bytes().slice();
}

function writeUser(user: MessageBytes, place: MessageBytes, { userId, mark, externalId, names }: UpdatedUser): void {
  user.string(inUser.userId, userId);
  place.number(inPlace.sequence, mark[0]);
  place.number(inPlace.part, mark[1]);
  user.message(inUser.place, place);
  place.clear();
  user.string(inUser.externalId, externalId);
  for (const name of names.fields) user.listed(inUser.fields, name);
  for (const name of names.customAttributes) user.listed(inUser.customAttributes, name);
  for (const name of names.customEvents) user.listed(inUser.customEvents, name);
  for (const name of names.products) user.listed(inUser.products, name);
  user.number(inUser.more, names.more ? 1 : 0);
}

const inEvent = numbersOf(ProfileUserUpdatedSchema.field);
const inUser = numbersOf(UpdatedUserSchema.field);
const inPlace = numbersOf(ChangePlaceSchema.field);

function numbersOf<Fields extends Readonly<Record<string, { readonly number: number }>>>(fields: Fields): Record<keyof Fields, number> {
  return Object.fromEntries(Object.entries(fields).map(([name, { number }]) => [name, number])) as Record<keyof Fields, number>;
}

const lengthDelimited = 2;
const varint = 0;
const varintBytesMax = 10;

/** Fields of one message, which are written in the order of their numbers. A field that has its default is not written. */
class MessageBytes {
  #buffer = new Uint8Array(bytesAtFirst);
  #length = 0;

  clear(): void {
    this.#length = 0;
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
    const bytes = message.bytes();
    this.#reserve(bytes.byteLength + 2 * varintBytesMax);
    this.#varint(field * 8 + lengthDelimited);
    this.#varint(bytes.byteLength);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.byteLength;
  }

  #utf8(text: string): void {
    const bytes = utf8.encode(text);
    this.#varint(bytes.byteLength);
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
