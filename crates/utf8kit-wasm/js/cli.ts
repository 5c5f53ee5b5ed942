#!/usr/bin/env node
// The command `utf8kit`: checks files, names their encodings, undoes mojibake, without Rust. Exits with 0 if there are
// no problems, 1 if there are some, 2 if a file cannot be read or the arguments are invalid.
import { createReadStream, readFileSync } from 'node:fs';
import { argv, stdin, stderr, stdout } from 'node:process';
import { Checker, convert, detect, type ErrorKind, fixMojibake, type Guess, language } from './node.js';

const USAGE = `usage: utf8kit check FILE...          errors, with their lines and columns
       utf8kit detect FILE...         encoding, certainty, alternatives, language
       utf8kit fix-mojibake FILE      text that was decoded once too often, to standard output
A FILE may be -, standard input.
`;

/** The number of errors of a file that are printed. */
const SHOWN = 100;

/** The number of bytes that tell the language of a file. */
const HEAD = 64 * 1024;

/** The kinds of errors in the words of the command `utf8`. */
const WORDS: Record<ErrorKind, string> = {
  overlong: 'overlong form',
  surrogate: 'surrogate',
  too_large: 'value too large',
  truncated: 'truncated sequence',
  unexpected_continuation: 'unexpected continuation byte',
  invalid_byte: 'invalid byte',
};

const whole = (path: string): Buffer => readFileSync(path === '-' ? 0 : path);

async function check(path: string): Promise<boolean> {
  const checker = new Checker({ keep: SHOWN });
  for await (const piece of path === '-' ? stdin : createReadStream(path)) checker.push(piece as Buffer);
  checker.finish();
  const { errors, codePoints } = checker.counts();
  for (const { offset, len, kind, line, column } of checker.firstErrors())
    stdout.write(
      `${path}:${line}:${column}: ${words(kind)}, ${len} ${len === 1 ? 'byte' : 'bytes'} at byte ${offset}\n`,
    );
  const more = errors > SHOWN ? `, the first ${SHOWN} of them above` : '';
  stdout.write(`${path}: ${errors === 0 ? `well-formed, ${codePoints} code points` : `${errors} errors${more}`}\n`);
  return errors === 0;
}

const words = (kind: string): string => WORDS[kind as ErrorKind] ?? kind;

/** Returns the language of a file, if its words tell it. */
function languageOf(bytes: Buffer, { encoding, misdecodedAs }: Guess): string | null {
  if (encoding === null) return null;
  const text = new TextDecoder().decode(convert(bytes.subarray(0, HEAD), { from: encoding, policy: 'replace' }));
  return language(misdecodedAs ? fixMojibake(text) : text);
}

function named(path: string): boolean {
  const bytes = whole(path);
  const guess = detect(bytes);
  const { encoding, certainty, alternatives, misdecodedAs } = guess;
  const spoken = languageOf(bytes, guess);
  const others = alternatives.length > 0 ? `; or ${alternatives.join(', ')}` : '';
  const twice = misdecodedAs ? `, encoded twice through ${misdecodedAs}` : '';
  const known = `${encoding}${twice}, ${certainty}${others}${spoken ? `; language ${spoken}` : ''}`;
  stdout.write(`${path}: ${encoding === null ? 'not text' : known}\n`);
  return encoding !== null;
}

function fixed(path: string): boolean {
  // Input that is not UTF-8 is rejected.
  stdout.write(fixMojibake(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(whole(path))));
  return true;
}

const [command = '', ...paths] = argv.slice(2);
const run = { check, detect: named, 'fix-mojibake': fixed }[command];
if (!run || paths.length === 0) {
  stderr.write(USAGE);
  process.exitCode = 2;
} else {
  process.exitCode = 0;
  for (const path of paths) {
    try {
      if (!(await run(path)) && process.exitCode === 0) process.exitCode = 1;
    } catch (error) {
      stderr.write(`${path}: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 2;
    }
  }
}
