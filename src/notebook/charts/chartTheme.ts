/** The Okabe-Ito palette: distinguishable on white with any color vision. */
export const COLORS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#6f4e9c"] as const;

/** The color of the "others" group. */
export const GREY = "#9a9a9a";

/** The default look of charts. The white background keeps them legible on dark pages. */
export const CHART_THEME = {
  background: "white",
  padding: 12,
  config: {
    view: {
      stroke: null,
      continuousWidth: 600,
      continuousHeight: 300,
      discreteWidth: { step: 24 },
      discreteHeight: { step: 22 },
    },
    mark: { color: COLORS[0] },
    range: { category: [...COLORS, GREY] },
    title: { anchor: "start", fontSize: 15, fontWeight: 600, subtitleColor: "#555", subtitleFontSize: 12, offset: 12 },
    axis: {
      labelColor: "#333",
      titleColor: "#333",
      titleFontWeight: "normal",
      gridColor: "#e4e4e4",
      domainColor: "#888",
      tickColor: "#888",
      labelLimit: 240,
    },
    legend: { labelColor: "#333", titleColor: "#333", titleFontWeight: "normal", labelLimit: 200 },
  },
} as const;
