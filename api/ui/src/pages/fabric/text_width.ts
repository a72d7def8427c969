// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Widths of texts in pixels, as the browser draws them. */

/** Width of a letter in proportion to the font's size, where no canvas can be asked. */
const USUAL = 0.62;

/** A function that measures texts in the page's font of `size` pixels, and remembers them. */
export function textMeasure(size: number): (text: string) => number {
  const known = new Map<string, number>();
  let context: CanvasRenderingContext2D | null = null;
  try {
    context = document.createElement("canvas").getContext("2d");
    if (context) context.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  } catch {
    context = null;
  }
  return (text) => {
    let width = known.get(text);
    if (width === undefined) {
      width = context ? context.measureText(text).width : text.length * size * USUAL;
      known.set(text, width);
    }
    return width;
  };
}
