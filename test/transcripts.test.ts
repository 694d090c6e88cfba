// What a person sees at the command line: every transcript is typed anew, and prints what it shows. With UPDATE=1, the
// transcripts are rewritten instead; read the diff.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makesTerminals } from './on-terminal.ts';
import { replay } from './transcript.ts';

const folder = fileURLToPath(new URL('transcripts', import.meta.url));
const names = readdirSync(folder).filter((name) => name.endsWith('.txt'));
const update = process.env['UPDATE'] === '1';

const needsTerminal = (text: string): boolean => /^(at |on a terminal)/m.test(text);

for (const name of names) {
  const text = readFileSync(join(folder, name), 'utf8');
  test.skipIf(!makesTerminals && needsTerminal(text))(`${name} shows what is printed`, async () => {
    const { text: printed, differences } = await replay(text);
    if (update) writeFileSync(join(folder, name), printed);
    else expect(differences.printed).toBe(differences.shown);
  });
}
