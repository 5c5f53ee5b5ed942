// Validation against TextDecoder: node bench.mjs FOLDER. Each file, repeated to 8 MiB, in gigabytes a second, best of
// many runs: `validate` copies into the library's memory, piece by piece; `in place` finds its pieces there already, as
// a reader that reads into `room()` does. `isUtf8` is Node's own, which browsers lack.
import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { level, validate, Validator } from 'utf8kit';

const folder = process.argv[2];
if (!folder) throw new Error('usage: node bench.mjs FOLDER');
const decoder = new TextDecoder('utf-8', { fatal: true });
const SIZE = 8 * 1024 * 1024;

function fastest(bytes, work) {
  let best = Infinity;
  const end = performance.now() + 300;
  do {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  } while (performance.now() < end);
  return bytes / best / 1e6;
}

function inPlace(text) {
  const validator = new Validator();
  const room = validator.room();
  const cut = validate(text.subarray(0, room.length))?.offset ?? Math.min(text.length, room.length);
  const whole = text.subarray(0, cut);
  room.set(whole);
  validator.close();
  return () => {
    const validator = new Validator();
    for (let at = 0; at < SIZE; at += whole.length) validator.pushRoom(whole.length);
    validator.close();
  };
}

console.log(`node ${process.version}, ${level}; GB/s`.padEnd(30), 'validate  in place  TextDecoder    isUtf8   to TextDecoder');
let [ours, theirs, files] = [0, 0, 0];
for (const name of readdirSync(folder).sort()) {
  const text = readFileSync(join(folder, name));
  const whole = new Uint8Array(Math.floor(SIZE / text.length) * text.length);
  for (let at = 0; at < whole.length; at += text.length) whole.set(text, at);
  if (validate(whole) !== null) throw new Error(`${name} is ill-formed`);
  const figures = [
    fastest(whole.length, () => validate(whole)),
    fastest(SIZE, inPlace(text)),
    fastest(whole.length, () => decoder.decode(whole)),
    fastest(whole.length, () => isUtf8(whole)),
  ];
  const shown = figures.map((figure) => figure.toFixed(2).padStart(8));
  console.log(name.padEnd(30), shown.join('  '), `${(figures[0] / figures[2]).toFixed(1).padStart(9)}x`);
  ours += Math.log(figures[0]);
  theirs += Math.log(figures[2]);
  files += 1;
}
console.log(`geometric mean: ${Math.exp(ours / files).toFixed(2)} and ${Math.exp(theirs / files).toFixed(2)} GB/s, ${Math.exp((ours - theirs) / files).toFixed(1)}x`);
