/** A body as it comes. Each piece takes some 200 bytes of memory besides its own, and a client may send one byte at a time: small ones are copied together. */
import { Buffer } from "node:buffer";
import { limits } from "../../platform/limits.ts";

export class BodyPieces {
  readonly #pieces: Uint8Array[] = [];
  /** Small pieces that came one behind the other, up to `#smallBytes`. */
  #small: Buffer | undefined;
  #smallBytes = 0;

  add(piece: Uint8Array): void {
    // Most bodies come in one piece, which is not copied
    if (this.#pieces.length === 0 || piece.length >= limits.smallPieceBytes) {
      this.#keepSmall();
      this.#pieces.push(piece);
      return;
    }
    this.#small ??= Buffer.allocUnsafe(limits.smallPiecesBytes);
    if (this.#smallBytes + piece.length > this.#small.length) this.#keepSmall();
    this.#small.set(piece, this.#smallBytes);
    this.#smallBytes += piece.length;
  }

  /** All of it. */
  joined(): Uint8Array {
    this.#keepSmall();
    const [first] = this.#pieces;
    return first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
  }

  #keepSmall(): void {
    if (this.#small === undefined || this.#smallBytes === 0) return;
    this.#pieces.push(Buffer.from(this.#small.subarray(0, this.#smallBytes)));
    this.#smallBytes = 0;
  }
}
