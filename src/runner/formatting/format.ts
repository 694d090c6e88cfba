// `fmt`: the one layout of a pipeline file. Two spaces, the keys in order, everything else as it is written. There are no
// options. A formatter may change no meaning, so the result is checked: it has the same value and the same comments, and
// formatting it again changes nothing.
import { canonical } from '../../contract/base/json.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import { parseSource } from '../../contract/yaml/source.ts';
import { commentsIn } from './comments.ts';
import { inKeyOrder } from './key-order.ts';
import type { Layout } from './layout-tree.ts';
import { printLayout } from './print-layout.ts';
import { readLayout } from './read-layout.ts';

/** The error has the mistakes in the YAML. `file` is only for messages. */
export function format(file: string, text: string): Result<string, readonly Diagnostic[]> {
  const parsed = parseSource(file, text);
  if (!parsed.ok) return parsed;
  const plain = plainText(text);
  // Nothing but comments.
  if (parsed.value.value === null) return ok(asWritten(plain, text));
  const layout = readLayout(plain);
  if (!layout.ok) return err([unable(file, layout.error)]);
  const meaning = canonical(parsed.value.value);
  // An alias can be before its anchor only in another order.
  for (const arranged of [inKeyOrder(layout.value), layout.value]) {
    const printed = printLayout(arranged);
    if (isSame(file, plain, printed, meaning) && isStable(printed, arranged !== layout.value))
      return ok(asWritten(printed, text));
  }
  return err([unable(file, 'has a layout that fmt cannot keep')]);
}

const unable = (file: string, why: string): Diagnostic => ({
  severity: 'error',
  code: 'SL026',
  file,
  message: `the file ${why}; it was left as it is`,
  hint: 'write the values as plain maps and lists, and comments on lines of their own',
});

/** Line feeds only, and one at the end. The parser reports the mark at the beginning by itself. */
function plainText(text: string): string {
  const plain = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  return plain.endsWith('\n') ? plain : `${plain}\n`;
}

/** The mark at the beginning and the line ends stay: editors and git choose them. */
function asWritten(printed: string, text: string): string {
  const ends = /\r\n/.test(text) ? printed.replaceAll('\n', '\r\n') : printed;
  return text.startsWith('\ufeff') ? `\ufeff${ends}` : ends;
}

function isSame(file: string, before: string, after: string, meaning: string): boolean {
  const parsed = parseSource(file, after);
  if (!parsed.ok || canonical(parsed.value.value) !== meaning) return false;
  return commentsIn(after).toSorted().join('\n') === commentsIn(before).toSorted().join('\n');
}

function isStable(printed: string, ordered: boolean): boolean {
  const again = readLayout(printed);
  if (!again.ok) return false;
  const arranged: Layout = ordered ? inKeyOrder(again.value) : again.value;
  return printLayout(arranged) === printed;
}
