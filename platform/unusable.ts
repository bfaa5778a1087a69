/** What Heddle stands on cannot be used as it is: a file, tables, a stream, a server. The text says what to do; nothing in Heddle failed. */
export class Unusable extends Error {
  override readonly name = "Unusable";
}
