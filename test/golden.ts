// Golden files: the texts and tables that the seams are held to. `UPDATE=1 npx vitest run <test>` rewrites them; then
// read the diff as you would read code.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('golden', import.meta.url));

/** `name`: the file below test/golden. Throws with the lines that differ, or with what `explain` makes of the old text. */
export function expectGolden(
  name: string,
  text: string,
  explain: (before: string) => readonly string[] = () => [],
): void {
  const file = join(folder, name);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (text === before) return;
  if (process.env['UPDATE'] === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return;
  }
  const how = 'UPDATE=1 rewrites the file.';
  const explained = explain(before);
  const lines = explained.length > 0 ? explained : difference(before, text);
  throw new Error(`test/golden/${name} differs. ${how}\n${lines.join('\n')}`);
}

/** The lines that only one of the texts has, whatever the width of columns; if there are none, the first that moved. */
function difference(before: string, now: string): readonly string[] {
  const [old = [], fresh = []] = [before, now].map((text) =>
    text.split('\n').map((line) => line.replace(/(?<=\S) {2,}/g, '  ')),
  );
  const only = (lines: readonly string[], others: ReadonlySet<string>, mark: string) =>
    lines.flatMap((line, at) => (others.has(line) ? [] : [`${mark}${at + 1}: ${line}`]));
  const found = [...only(old, new Set(fresh), '-'), ...only(fresh, new Set(old), '+')];
  if (found.length > 0) return found;
  const at = fresh.findIndex((line, index) => line !== old[index]);
  return [`-${at + 1}: ${old[at] ?? ''}`, `+${at + 1}: ${fresh[at] ?? ''}`];
}
