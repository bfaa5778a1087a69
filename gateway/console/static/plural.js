/** A number with its noun. */
export function plural(one, many) {
  return (count) => `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
