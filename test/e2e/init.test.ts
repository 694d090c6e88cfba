// `shotlist init` as people use it: on a terminal with questions, and in scripts with flags.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { main } from '../built.ts';
import { ended, ownEnvironment } from '../command.ts';
import { photo, Rig, until } from '../rig.ts';

async function photoFolder(): Promise<Rig> {
  const rig = new Rig('');
  for (const at of [1, 2]) rig.write(`photos/${at}.png`, await photo(at));
  return rig;
}

describe('without a terminal', () => {
  test('the flags say everything, and what is written goes through plan and a rehearsal as the text says', async () => {
    const rig = await photoFolder();
    const made = await rig.command(['init', '--tool', 'photo-colorizer', '--name', 'color']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const next = [...made.stdout.matchAll(/^ {2}shotlist (.*)$/gm)].map(([, line]) => `${line}`);
    expect(next).toEqual(['plan color.yaml', 'run color.yaml --rehearse --limit 3']);
    for (const line of ['validate color.yaml', ...next]) {
      const { code, stderr } = await rig.command(line.split(' '));
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' });
    }
  });

  // A missing tool, in a pipe: test/transcripts/init.txt.
  test('--yes takes the first tool that fits', async () => {
    const rig = await photoFolder();
    const taken = await rig.command(['init', '--yes', '--json']);
    expect(JSON.parse(taken.stdout)).toMatchObject({
      ...{ file: 'image-background-remover.yaml', items: 2, missing: [], outside: false },
    });
  });
});

const terminalMaker = 'script';
const makesTerminals = spawnSync(terminalMaker, ['--version']).status === 0;

/** A command on a terminal; `says` waits until it has printed something. */
class Terminal {
  readonly #child: ChildProcess;
  readonly #end: Promise<{ readonly code: number | null }>;
  #seen = '';

  constructor(rig: Rig, args: string, env: Readonly<Record<string, string>> = {}) {
    const command = `stty rows 40 cols 100; exec ${process.execPath} ${main} ${args}`;
    this.#child = spawn(terminalMaker, ['-qec', command, '/dev/null'], {
      ...{ cwd: rig.folder, env: { ...ownEnvironment(), TERM: 'xterm', ...env } },
    });
    this.#child.stdout?.on('data', (data) => {
      this.#seen += `${data}`;
    });
    this.#end = ended(this.#child);
    onTestFinished(() => void this.#child.kill('SIGKILL'));
  }

  get seen(): string {
    return this.#seen;
  }

  async says(words: string): Promise<this> {
    await until(`it says ${words}`, () => this.#seen.includes(words));
    return this;
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  async code(): Promise<number | null> {
    return (await this.#end).code;
  }
}

describe.skipIf(!makesTerminals)('on a terminal (needs script)', () => {
  test('it asks what the flags do not say: the tool by search, the name, the file, .gitignore', async () => {
    const rig = await photoFolder();
    rig.write('.git/HEAD', '');
    const terminal = new Terminal(rig, 'init', { NO_COLOR: '1' });
    await terminal.says('2 photos (png) in photos');
    await terminal.says('Type to search');
    terminal.type('colori');
    await terminal.says('(1 match)');
    terminal.type('\r');
    await terminal.says('What is the pipeline called?');
    terminal.type('old-photos\r');
    await terminal.says('old-photos.yaml');
    terminal.type('\r');
    await terminal.says('Keep the results out of git?');
    terminal.type('n');
    await terminal.says('shotlist plan old-photos.yaml');
    expect(await terminal.code()).toBe(0);
    expect(rig.read('old-photos.yaml')).toContain('uses: photo-colorizer');
    expect(existsSync(rig.path('.gitignore'))).toBe(false);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape codes of colors.
    expect(terminal.seen).not.toMatch(/\u001b\[(3\d|9\d|1)m/);
  });

  test('Ctrl-C leaves, and writes nothing', async () => {
    const rig = await photoFolder();
    const terminal = new Terminal(rig, 'init --tool photo-colorizer');
    await terminal.says('What is the pipeline called?');
    terminal.type('\u0003');
    await terminal.says('Nothing was written.');
    expect(await terminal.code()).toBe(130);
    expect(rig.files('.')).toEqual(['photos/1.png', 'photos/2.png', 'pipeline.yaml']);
  });
});
