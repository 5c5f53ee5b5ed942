// Where errors lie in a file: a cell for each range of bytes, from left to right and from top to bottom.
import type { Histogram } from 'utf8kit';
import { h } from './dom.ts';
import { counted, number, size } from './format.ts';

/** Cells per line, on a wide and on a narrow page. */
const COLUMNS = [128, 48] as const;
const CELL = 8;

export function heatMap({ bins, binWidth }: Histogram, bytes: number): HTMLElement {
  const used = Math.max(1, Math.ceil(bytes / binWidth));
  const most = bins.reduce((most, bin) => Math.max(most, bin), 1);
  const columns = Math.min(COLUMNS[matchMedia('(min-width: 40rem)').matches ? 0 : 1], used);
  const rows = Math.ceil(used / columns);
  const worst = bins.indexOf(most);
  const words = (bin: number): string => {
    const end = Math.min(bytes, (bin + 1) * binWidth);
    return `${binWidth === 1 ? `Byte ${number(bin)}` : `Bytes ${number(bin * binWidth)} to ${number(end - 1)}`}: ${counted(bins[bin] ?? 0, 'error')}`;
  };
  const canvas = h('canvas', {
    class: 'heat', width: columns * CELL, height: rows * CELL, role: 'img',
    'aria-label': `Errors by place: ${number(bins.filter((bin) => bin > 0).length)} of ${number(used)} stretches hold errors. Most: ${words(worst)}.`,
  });
  const place = h('p', { class: 'hint' }, `A cell is ${size(binWidth)}. Most errors: ${words(worst)}.`);
  const paint = (): void => {
    const context = context2d(canvas);
    const style = getComputedStyle(document.documentElement);
    for (let bin = 0; bin < used; bin += 1) {
      const errors = bins[bin] ?? 0;
      context.globalAlpha = 1;
      context.fillStyle = style.getPropertyValue('--cell');
      context.fillRect((bin % columns) * CELL, Math.floor(bin / columns) * CELL, CELL - 1, CELL - 1);
      if (errors === 0) continue;
      context.globalAlpha = 0.35 + 0.65 * (Math.log2(1 + errors) / Math.log2(1 + most));
      context.fillStyle = style.getPropertyValue('--bad');
      context.fillRect((bin % columns) * CELL, Math.floor(bin / columns) * CELL, CELL - 1, CELL - 1);
    }
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    if (canvas.isConnected) {
      context2d(canvas).clearRect(0, 0, canvas.width, canvas.height);
      paint();
    }
  });
  canvas.addEventListener('pointermove', ({ offsetX, offsetY }) => {
    const column = Math.floor((offsetX / canvas.clientWidth) * columns);
    const bin = Math.floor((offsetY / canvas.clientHeight) * rows) * columns + column;
    if (bin < used) place.textContent = words(bin);
  });
  paint();
  return h('section', { 'aria-labelledby': 'heat-title' }, h('h2', { id: 'heat-title' }, 'Where the errors lie'), canvas, place);
}

function context2d(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  return canvas.getContext('2d')!;
}
