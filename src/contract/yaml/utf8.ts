// Decodes a file as UTF-8. An invalid byte is an error; as U+FFFD, it would be sent and paid for.
import { err, ok, type Result } from '../../base/result.ts';
import { type Diagnostic, errorAt, type Finding, type Span } from './diagnostic.ts';

interface NotText {
  readonly diagnostic: Diagnostic;
  /** The readable text, for a code frame; undefined if there is none. */
  readonly text?: string;
}

/**
 * UTF-8, with or without a byte order mark. Errors: invalid bytes, UTF-16, and control characters
 * other than tab, line feed and carriage return, which YAML does not allow.
 */
export function decodeText(file: string, bytes: Uint8Array): Result<string, NotText> {
  const wide = wideEncoding(bytes);
  if (wide !== undefined) {
    const message = `the file is ${wide}, but a pipeline must be UTF-8`;
    const hint = 'save the file as UTF-8';
    return err({ diagnostic: { severity: 'error', code: 'SL001', file, message, hint } });
  }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const bad = firstBad(text, bytes);
  if (bad === undefined) return ok(text);
  const { code, index, offset, what, hint } = bad;
  const message = `${what}, at byte ${offset}`;
  const diagnostic = errorAt(file, spanAt(text, index), { code, message, hint });
  return err(bytes.includes(0) ? { diagnostic } : { diagnostic, text });
}

/**
 * Two or four bytes a character: a byte order mark, or every other byte zero where the text begins.
 */
function wideEncoding(bytes: Uint8Array): string | undefined {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'UTF-32' : 'UTF-16';
  if (first === 0xfe && second === 0xff) return 'UTF-16';
  const head = bytes.subarray(0, 64);
  const zeros = (parity: number): number =>
    head.filter((byte, index) => byte === 0 && index % 2 === parity).length;
  const half = Math.floor(head.length / 2);
  if (half < 2) return undefined;
  const [even, odd] = [zeros(0), zeros(1)];
  return (even === 0 && odd >= half * 0.8) || (odd === 0 && even >= half * 0.8)
    ? 'UTF-16'
    : undefined;
}

interface Bad {
  readonly code: Finding['code'];
  /** In the text. */
  readonly index: number;
  /** In the bytes. */
  readonly offset: number;
  readonly what: string;
  readonly hint: string;
}

function firstBad(text: string, bytes: Uint8Array): Bad | undefined {
  let index = 0;
  let offset = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code === 0xfffd && !isReplacement(bytes, offset))
      return {
        code: 'SL001',
        index,
        offset,
        what: `the file is not UTF-8 text: ${hex(bytes[offset] ?? 0, '0x', 2)} is not part of a character`,
        hint: 'save the file as UTF-8',
      };
    if (isControl(code))
      return {
        code: 'SL002',
        index,
        offset,
        what: `the file contains the control character ${code === 0 ? 'NUL' : hex(code, 'U+', 4)}`,
        hint: 'remove it, or if a value needs it, write an escape in double quotes, such as "\\u001b"',
      };
    index += character.length;
    offset += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return undefined;
}

/** True if the file itself contains U+FFFD. */
const isReplacement = (bytes: Uint8Array, offset: number): boolean =>
  bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;

/** YAML 1.2, c-printable: of C0 and C1, tab, line feed, carriage return and next line. */
const isControl = (code: number): boolean =>
  (code < 0x20 && code !== 9 && code !== 10 && code !== 13) ||
  (code >= 0x7f && code <= 0x9f && code !== 0x85);

const hex = (code: number, mark: string, digits: number): string =>
  `${mark}${code.toString(16).toUpperCase().padStart(digits, '0')}`;

function spanAt(text: string, index: number): Span {
  const before = text.slice(0, index);
  const line = before.split('\n').length;
  const column = index - before.lastIndexOf('\n');
  return { line, column, endLine: line, endColumn: column + 1 };
}
