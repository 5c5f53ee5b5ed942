// A map of the errors in a file: a bar for each range of bytes, along an axis from the first byte to the last.
import type { Histogram } from 'utf8kit';
import { h } from './dom.ts';
import { amount, say, size } from './strings.ts';

/** Bars, on a wide and on a narrow page; the size of the drawing, in pixels of its own. */
const BARS = [256, 96] as const;
const [WIDTH, HEIGHT] = [8, 96];

/** Calls `jump` with the bytes of a bar that is chosen. */
export function heatMap(
  { bins, binWidth }: Histogram,
  bytes: number,
  jump: (from: number, to: number) => void,
): HTMLElement {
  const used = Math.max(1, Math.ceil(bytes / binWidth));
  const each = Math.ceil(used / BARS[matchMedia('(min-width: 40rem)').matches ? 0 : 1]);
  const bars = Array.from({ length: Math.ceil(used / each) }, (_, bar) =>
    bins.slice(bar * each, (bar + 1) * each).reduce((sum, bin) => sum + bin, 0),
  );
  const step = each * binWidth;
  const most = Math.max(1, ...bars);
  const range = (bar: number): [number, number] => [bar * step, Math.min(bytes, (bar + 1) * step)];
  const words = (bar: number): string => {
    const [from, to] = range(bar);
    return say('in_range', { from, to: Math.max(from, to - 1), count: bars[bar] ?? 0 });
  };
  const canvas = h('canvas', {
    class: 'heat',
    width: bars.length * WIDTH,
    height: HEIGHT,
    role: 'img',
    'aria-label': say('heat_label', {
      bad: bars.filter((errors) => errors > 0).length,
      parts: bars.length,
      most: words(bars.indexOf(most)),
    }),
  });
  const slider = h('input', {
    type: 'range',
    id: 'heat-place',
    min: 0,
    max: bars.length - 1,
    value: Math.max(0, bars.indexOf(most)),
    'aria-describedby': 'heat-says',
    oninput: () => point(),
    onchange: () => jump(...range(Number(slider.value))),
  });
  const place = h('p', { class: 'hint', id: 'heat-says' });
  const point = (): void => {
    place.textContent = `${words(Number(slider.value))}. ${say('bar', { size: size(step) })}`;
    slider.setAttribute('aria-valuetext', words(Number(slider.value)));
  };
  const at = ({ offsetX }: PointerEvent | MouseEvent): void => {
    slider.value = String(Math.min(bars.length - 1, Math.floor((offsetX / canvas.clientWidth) * bars.length)));
    point();
  };
  canvas.addEventListener('pointermove', at);
  canvas.addEventListener('click', (event) => {
    at(event);
    jump(...range(Number(slider.value)));
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    if (canvas.isConnected) paint(canvas, bars, most);
  });
  paint(canvas, bars, most);
  point();
  const axis = h(
    'div',
    { class: 'axis', 'aria-hidden': 'true' },
    ...[0, 0.25, 0.5, 0.75, 1].map((part) => h('span', {}, part === 0 ? amount(0) : size(Math.round(bytes * part)))),
  );
  return h(
    'section',
    { 'aria-labelledby': 'heat-title' },
    h('h2', { id: 'heat-title' }, say('heat')),
    canvas,
    axis,
    h('label', { for: 'heat-place', class: 'hint' }, say('from_here')),
    slider,
    place,
  );
}

function paint(canvas: HTMLCanvasElement, bars: number[], most: number): void {
  const context = canvas.getContext('2d')!;
  const style = getComputedStyle(document.documentElement);
  context.clearRect(0, 0, canvas.width, canvas.height);
  bars.forEach((errors, bar) => {
    context.fillStyle = style.getPropertyValue('--cell');
    context.fillRect(bar * WIDTH, 0, WIDTH - 1, HEIGHT);
    if (errors === 0) return;
    const height = HEIGHT * (0.12 + 0.88 * (Math.log2(1 + errors) / Math.log2(1 + most)));
    context.fillStyle = style.getPropertyValue('--bad');
    context.fillRect(bar * WIDTH, HEIGHT - height, WIDTH - 1, height);
  });
}
