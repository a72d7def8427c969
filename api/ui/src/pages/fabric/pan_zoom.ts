// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Panning and zooming a drawing: by dragging, pinching, Ctrl+wheel, and buttons. */

import { type PointerEvent, useCallback, useEffect, useRef, useState } from "react";

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** The closest view, as a share of the whole drawing. */
const CLOSEST = 0.04;
const FURTHEST = 1.6;

/** Pixels that a pointer may move during a click. */
const STILL = 4;

export function zoomed(box: Box, factor: number, whole: { w: number; h: number }, about?: { x: number; y: number }): Box {
  const w = Math.min(whole.w * FURTHEST, Math.max(whole.w * CLOSEST, box.w * factor));
  const scale = w / box.w;
  const [cx, cy] = about ? [about.x, about.y] : [box.x + box.w / 2, box.y + box.h / 2];
  return { x: cx - (cx - box.x) * scale, y: cy - (cy - box.y) * scale, w, h: box.h * scale };
}

export function usePanZoom(width: number, height: number) {
  const ref = useRef<SVGSVGElement>(null);
  // Null: the whole drawing, whatever its size.
  const [chosen, setBox] = useState<Box | null>(null);
  const whole = { x: 0, y: 0, w: width, h: height };
  const box = chosen ?? whole;
  const [dragging, setDragging] = useState(false);
  const drag = useRef<{ x: number; y: number; box: Box; far: boolean } | null>(null);
  const far = useRef(false);
  const fit = useCallback(() => setBox(null), []);

  useEffect(() => {
    const svg = ref.current;
    if (!svg) return;
    // A wheel without Ctrl scrolls the page, as everywhere. React's own handler could not keep the browser from zooming.
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const matrix = svg.getScreenCTM();
      if (!matrix) return;
      const about = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      setBox((old) =>
        zoomed(old ?? { x: 0, y: 0, w: width, h: height }, Math.exp(event.deltaY / 300), { w: width, h: height }, about),
      );
    };
    svg.addEventListener("wheel", onWheel, { passive: false });
    return () => svg.removeEventListener("wheel", onWheel);
  }, [width, height]);

  const unit = () => {
    const scale = ref.current?.getScreenCTM()?.a;
    return scale ? 1 / scale : 1;
  };
  return {
    ref,
    viewBox: `${box.x} ${box.y} ${box.w} ${box.h}`,
    dragging,
    fit,
    zoom: (factor: number) => setBox(zoomed(box, factor, whole)),
    /** True if the click that ends now was the end of a drag. */
    moved: () => far.current,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        far.current = false;
        drag.current = { x: event.clientX, y: event.clientY, box, far: false };
      },
      onPointerMove: (event: PointerEvent) => {
        const from = drag.current;
        if (!from) return;
        const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
        if (!from.far && Math.hypot(dx, dy) < STILL) return;
        if (!from.far) {
          from.far = true;
          far.current = true;
          setDragging(true);
          ref.current?.setPointerCapture(event.pointerId);
        }
        setBox({ ...from.box, x: from.box.x - dx * unit(), y: from.box.y - dy * unit() });
      },
      onPointerUp: () => {
        drag.current = null;
        setDragging(false);
      },
      onPointerCancel: () => {
        drag.current = null;
        setDragging(false);
      },
    },
  };
}
