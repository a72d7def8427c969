// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The parts of ECharts that our charts use. Only `chart.tsx` imports this file, and only when a chart must be drawn. */

import { BarChart, LineChart, ScatterChart } from "echarts/charts";
import {
  DataZoomInsideComponent,
  GridComponent,
  LegendScrollComponent,
  MarkLineComponent,
  TooltipComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([
  BarChart,
  LineChart,
  ScatterChart,
  GridComponent,
  TooltipComponent,
  LegendScrollComponent,
  MarkLineComponent,
  DataZoomInsideComponent,
  CanvasRenderer,
]);

export { init };
