// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Panning and zooming a drawing: by dragging, pinching, Ctrl+wheel, keys, and buttons. */

import { type PointerEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";

export interface Box {
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

/** The drawing's units that a pixel shows, and what is in view: the box in the middle of the element, as large as it fits. */
export function seen(box: Box, width: number, height: number): { unit: number; view: Box } {
  const unit = Math.max(box.w / Math.max(1, width), box.h / Math.max(1, height));
  const [w, h] = [width * unit, height * unit];
  return { unit, view: { x: box.x + box.w / 2 - w / 2, y: box.y + box.h / 2 - h / 2, w, h } };
}

/** `width`, `height`: size of the drawing in its units. */
export function usePanZoom(width: number, height: number) {
  const ref = useRef<SVGSVGElement>(null);
  // Null: the whole drawing, whatever its size.
  const [chosen, setBox] = useState<Box | null>(null);
  const whole = useMemo(() => ({ x: 0, y: 0, w: width, h: height }), [width, height]);
  const box = chosen ?? whole;
  const [dragging, setDragging] = useState(false);
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const drag = useRef<{ x: number; y: number; box: Box; apart: number; far: boolean } | null>(null);
  const far = useRef(false);
  const fit = useCallback(() => setBox(null), []);
  const zoom = useCallback((factor: number) => setBox((old) => zoomed(old ?? whole, factor, whole)), [whole]);
  /** Brings a point into the middle, at most `w` units wide. */
  const centre = useCallback(
    (x: number, y: number, w: number) =>
      setBox((old) => {
        const now = zoomed(old ?? whole, Math.min(1, w / (old ?? whole).w), whole);
        return { ...now, x: x - now.w / 2, y: y - now.h / 2 };
      }),
    [whole],
  );
  const moved = useCallback(() => far.current, []);

  const at = useCallback((x: number, y: number) => {
    const matrix = ref.current?.getScreenCTM?.();
    return matrix ? new DOMPoint(x, y).matrixTransform(matrix.inverse()) : undefined;
  }, []);

  useEffect(() => {
    const svg = ref.current;
    if (!svg) return;
    // A wheel without Ctrl scrolls the page, as everywhere. React's own handler could not keep the browser from zooming.
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const about = at(event.clientX, event.clientY);
      setBox((old) => zoomed(old ?? whole, Math.exp(event.deltaY / 300), whole, about));
    };
    svg.addEventListener("wheel", onWheel, { passive: false });
    return () => svg.removeEventListener("wheel", onWheel);
  }, [whole, at]);

  const unit = () => {
    const scale = ref.current?.getScreenCTM?.()?.a;
    return scale ? 1 / scale : 1;
  };
  /** Middle of the fingers, and how far they are apart; 0 for one. */
  const grip = () => {
    const [a, b] = [...pointers.current.values()];
    if (!a || !b) return { x: a?.x ?? 0, y: a?.y ?? 0, apart: 0 };
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
  };
  const lift = (event: PointerEvent) => {
    pointers.current.delete(event.pointerId);
    drag.current = null;
    setDragging(false);
  };
  return {
    ref,
    box,
    dragging,
    fit,
    zoom,
    centre,
    /** True if the click that ends now was the end of a drag. */
    moved,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        if (event.isPrimary) {
          pointers.current.clear();
          far.current = false;
        }
        pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
        drag.current = { ...grip(), box, far: pointers.current.size > 1 };
      },
      onPointerMove: (event: PointerEvent) => {
        const from = drag.current;
        if (!from || !pointers.current.has(event.pointerId)) return;
        pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
        const now = grip();
        const [dx, dy] = [now.x - from.x, now.y - from.y];
        if (!from.far && Math.hypot(dx, dy) < STILL) return;
        if (!far.current) {
          from.far = true;
          far.current = true;
          setDragging(true);
          ref.current?.setPointerCapture(event.pointerId);
        }
        const shifted = { ...from.box, x: from.box.x - dx * unit(), y: from.box.y - dy * unit() };
        if (from.apart > 0 && now.apart > 0) setBox(zoomed(shifted, from.apart / now.apart, whole, at(now.x, now.y)));
        else setBox(shifted);
      },
      onPointerUp: lift,
      onPointerCancel: lift,
    },
  };
}
