import type { Page } from "playwright-core";

/** The minimum contrast of text (WCAG 2, level AA). */
export const MIN_CONTRAST = 4.5;

/** Runs in the page. Opacities and transparent backgrounds count. */
const CONTRASTS = `(() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const over = ([r, g, b, alpha = 1], below, opacity = 1) =>
    [r, g, b].map((part, at) => part * alpha * opacity + below[at] * (1 - alpha * opacity));
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const stylesOf = (element) => element === null ? [] : [...stylesOf(element.parentElement), getComputedStyle(element)];
  const backgroundOf = (styles) => styles.reduce((below, style) => over(numbers(style.backgroundColor), below), [255, 255, 255]);
  const texts = [];
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (nodes.nextNode()) {
    const { data, parentElement } = nodes.currentNode;
    if (data.trim() === "" || parentElement.disabled || !parentElement.checkVisibility({ visibilityProperty: true })) continue;
    const styles = stylesOf(parentElement);
    const background = backgroundOf(styles);
    const opacity = styles.reduce((whole, style) => whole * Number(style.opacity), 1);
    const ink = over(numbers(styles.at(-1).color), background, opacity);
    const [dark, bright] = [luminance(ink), luminance(background)].sort((a, b) => a - b);
    texts.push([data, (bright + 0.05) / (dark + 0.05)]);
  }
  return { paper: luminance(backgroundOf(stylesOf(document.body))), texts };
})()`;

/** The contrast of every text that a page shows to what is behind it, and the luminance of the page: 0 is black, 1 white. */
export async function contrastsOf(page: Page) {
  return (await page.evaluate(CONTRASTS)) as { paper: number; texts: Array<[text: string, contrast: number]> };
}
