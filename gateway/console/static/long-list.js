/** Bodies of long tables: what is far from the eye is taken out of the page, and its height stays. */
import { html, useEffect, useRef, useState } from "./view.js";

const rowsPerPart = 50;
/** What is as near to the window as this is drawn. */
const near = "800px 0px";
const likelyRowPixels = 34;

/** `rowOf(row, at)` makes a `tr`; `columns` is how many there are. A short list is one body, all of it drawn. */
export function Bodies({ rows, columns, rowOf }) {
  if (rows.length <= 2 * rowsPerPart) return html`<tbody>${rows.map(rowOf)}</tbody>`;
  const parts = Array.from({ length: Math.ceil(rows.length / rowsPerPart) }, (_, at) => at * rowsPerPart);
  return parts.map((from) =>
    html`<${Part} key=${from} rows=${rows.slice(from, from + rowsPerPart)} from=${from} columns=${columns} rowOf=${rowOf} />`
  );
}

function Part({ rows, from, columns, rowOf }) {
  const body = useRef();
  const pixels = useRef(rows.length * likelyRowPixels);
  const [isDrawn, setDrawn] = useState(from === 0);
  useEffect(() => {
    const watched = body.current;
    const seen = new IntersectionObserver((changes) => {
      const { isIntersecting } = changes.at(-1);
      // Whoever is in it by keyboard stays in it
      if (!isIntersecting && watched.contains(document.activeElement)) return;
      if (!isIntersecting && watched.offsetHeight > 0) pixels.current = watched.offsetHeight;
      setDrawn(isIntersecting);
    }, { rootMargin: near });
    // On paper everything is near
    function draw() {
      setDrawn(true);
    }
    seen.observe(watched);
    addEventListener("beforeprint", draw);
    return () => {
      seen.disconnect();
      removeEventListener("beforeprint", draw);
    };
  }, []);
  return html`<tbody ref=${body}>${
    isDrawn ? rows.map((row, at) => rowOf(row, from + at)) : html`
      <tr aria-hidden="true" class="gap">
        <td colspan=${columns}>
          <svg width="1" height=${pixels.current}></svg>
        </td>
      </tr>
    `
  }</tbody>`;
}
