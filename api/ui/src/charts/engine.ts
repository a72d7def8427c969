// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The parts of ECharts that our charts use. Only `chart.tsx` imports this file, and only when a chart must be drawn. */

import { BarChart, LineChart, ParallelChart, ScatterChart } from "echarts/charts";
import {
  DataZoomInsideComponent,
  GridComponent,
  LegendScrollComponent,
  MarkLineComponent,
  ParallelComponent,
  TooltipComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([
  BarChart,
  LineChart,
  ParallelChart,
  ScatterChart,
  GridComponent,
  TooltipComponent,
  LegendScrollComponent,
  MarkLineComponent,
  ParallelComponent,
  DataZoomInsideComponent,
  CanvasRenderer,
]);

export { init };
