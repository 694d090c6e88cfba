// What the pages show works: pipelines, commands, code, links.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validate } from '../src/language/validate.ts';
import { faultSchemas } from '../src/service/faults/schema.ts';
import { main } from './built.ts';
import { blocks, blocksIn, type CodeBlock, pages, read, root } from './examples.ts';
import { portraitPhoto } from './previews/media.ts';
import { ended, Rig } from './rig.ts';
import { longTest } from './sweep.ts';

const named = (block: CodeBlock): readonly [string, CodeBlock] => [
  `${block.page}:${block.line}`,
  block,
];

/** The last line names the file and its flags. */
const withoutNext = (plan: string): string => plan.replace(/^Next: .*\n/m, '');

const withoutService = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SHOTLIST_')));

describe('the README', () => {
  test('has the two commands that a stranger types, and small pictures', () => {
    const readme = read('README.md');
    expect(readme).toContain('npm ci && npm run demo');
    expect(readme).toContain('npm ci && npm test');
    const pictures = [...readme.matchAll(/!\[.+\]\((\S+)\)/g)].map(([, path = '']) => path);
    expect(pictures).toEqual(['docs/pictures/run.svg', 'docs/pictures/report.webp']);
    for (const path of pictures)
      expect(readFileSync(join(root, path)).length).toBeLessThan(300_000);
  });

  test('says how to start in a script that runs, and that needs no account', async () => {
    const script = blocksIn('README.md', 'sh').find(({ text }) => text.includes('<<'))?.text ?? '';
    expect(script.trimEnd().split('\n')).toHaveLength(12);
    const rig = new Rig('');
    rig.write('media/products/one.jpg', await portraitPhoto());
    const npx = `npx() { shift; '${process.execPath}' '${main}' "$@"; }\n`;
    const child = spawn('sh', ['-e', '-c', npx + script], {
      cwd: rig.folder,
      env: withoutService(),
    });
    const { stdout, code } = await ended(child);
    expect(code, stdout).toBe(0);
    const results = /^ *results +(.*)$/m.exec(stdout)?.[1] ?? '';
    expect(existsSync(join(rig.folder, results, 'one.png')), stdout).toBe(true);
  });
});

/** Runs a program that imports the library by its name. */
async function outputOf(rig: Rig, code: string): Promise<string> {
  rig.write('example.ts', code.replace("'shotlist'", JSON.stringify(join(root, 'src/index.ts'))));
  const child = spawn(process.execPath, [rig.path('example.ts')], {
    cwd: rig.folder,
    env: withoutService(),
  });
  const { stdout, stderr } = await ended(child);
  expect(stderr).toBe('');
  return stdout;
}

describe('pipelines', () => {
  const pipelines = blocks('yaml').filter(({ text }) => /^pipeline: /m.test(text));

  test.each(pipelines.map(named))('%s is valid, without a warning', (_place, { page, text }) => {
    const checked = validate(page, text);
    expect(checked.ok ? checked.value.warnings : checked.error).toEqual([]);
  });

  test('the page about reuse has pipelines that can be planned, with each of their profiles', async () => {
    const page = 'docs/reuse.md';
    const rig = new Rig('');
    rig.write('photos/one.jpg', await portraitPhoto());
    const planned: string[] = [];
    for (const { page: on, text } of pipelines.filter((block) => block.page === page)) {
      rig.write('pipeline.yaml', text);
      const checked = validate(on, text);
      const profiles = checked.ok ? checked.value.profiles : [];
      for (const flags of [[], ...profiles.map((name) => ['--profile', name])]) {
        const args = ['plan', 'pipeline.yaml', '--rehearse', ...flags];
        const { code, stdout, stderr } = await rig.command(args);
        expect([code, stderr], stdout).toEqual([0, '']);
        const resolved = await rig.command([...args, '--resolved']);
        rig.write('resolved.yaml', resolved.stdout);
        const again = await rig.command(['plan', 'resolved.yaml', '--rehearse']);
        expect(withoutNext(again.stdout)).toBe(withoutNext(stdout));
        planned.push(flags.join(' '));
      }
    }
    expect(planned).toEqual(['', '', '', '--profile draft', '--profile final']);
  });

  test('the page about trouble shows what a pipeline may say about failures', () => {
    const [block] = blocksIn('docs/when-things-go-wrong.md', 'yaml');
    const lines = block?.text.trimEnd().split('\n') ?? [];
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const checked = validate(
        'p.yaml',
        `pipeline: p\n${line}\nsteps: { up: { uses: upload, with: { file: a.png } } }\n`,
      );
      expect(checked.ok, line).toBe(true);
    }
  });
});

describe('commands', () => {
  const helps = new Map<string, Promise<string>>();
  const helpOf = (command: string): Promise<string> => {
    const known = helps.get(command) ?? new Rig('').command([command, '--help']).then(shown);
    helps.set(command, known);
    return known;
  };
  const shown = ({ stdout, code }: { stdout: string; code: number | null }): string =>
    code === 0 ? stdout : '';
  const flagsIn = (text: string): readonly string[] => text.match(/--[a-z][a-z-]*/g) ?? [];

  test('every command and flag that a page shows exists', async () => {
    for (const { page, text } of blocks('sh'))
      for (const line of text.split('\n')) {
        const [typed = ''] = line.split(' # ');
        const command = /npx shotlist (\w+)/.exec(typed)?.[1];
        if (command === undefined) continue;
        const help = await helpOf(command);
        expect(help, `${page}: ${line}`).not.toBe('');
        for (const flag of flagsIn(typed)) expect(help, `${page}: ${line}`).toContain(flag);
      }
  });

  test('every script that a page names is in package.json', () => {
    const { scripts } = JSON.parse(read('package.json'));
    for (const page of pages)
      for (const [, script = ''] of read(page).matchAll(/npm run (?:-s )?([a-z]+)/g))
        expect(Object.keys(scripts), page).toContain(script);
  });

  test('the page of commands names every command and each of its flags', async () => {
    const page = read('docs/commands.md');
    const { stdout } = await new Rig('').command(['--help']);
    const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]+)/gm)]
      .map(([, name]) => `${name}`)
      .filter((name) => name !== 'help');
    expect(commands).toHaveLength(23);
    for (const command of commands) {
      expect(page).toContain(`npx shotlist ${command}`);
      if (command === 'serve') continue;
      for (const flag of flagsIn(await helpOf(command)))
        if (flag !== '--help') expect(page, command).toContain(flag);
    }
  });

  test('the guide to the local service names every flag and every fault', async () => {
    const guide = read('docs/local-service.md');
    for (const flag of flagsIn(await helpOf('serve')))
      if (flag !== '--help') expect(guide).toContain(flag);
    for (const fault of Object.keys(faultSchemas)) expect(guide).toContain(`\`${fault}\``);
  });
});

describe('code', () => {
  longTest(
    'the first example of the page about the library runs, and swaps the photos',
    async () => {
      const [code] = blocksIn('docs/library.md', 'ts');
      const name = 'pipelines/face-swap-photos.yaml';
      const rig = new Rig('');
      rig.write(name, read(name));
      const portrait = await portraitPhoto();
      for (const photo of ['media/photos/one.jpg', 'media/actor.jpg', 'me.jpg'])
        rig.write(photo, portrait);
      // The media are outside the pipeline's folder, and in its repository.
      rig.write('.git/HEAD', '');
      const stdout = await outputOf(rig, code?.text ?? '');
      expect(stdout.trim().split('\n').at(-1)).toBe('done 10');
      expect(existsSync(rig.path('pipelines/.shotlist/rehearsal'))).toBe(true);
    },
  );

  longTest('the example of a service for tests of your own runs', async () => {
    const code = blocksIn('docs/library.md', 'ts').find(({ text }) =>
      text.includes('startService'),
    );
    expect(await outputOf(new Rig(''), code?.text ?? '')).toBe('200 1000\n');
  });
});

describe('links', () => {
  /** The anchor that a heading gets on GitHub. */
  const anchorOf = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  const withoutCode = (text: string): string =>
    text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  const anchorsOf = (page: string): readonly string[] =>
    [
      ...read(page)
        .replace(/^```[\s\S]*?^```/gm, '')
        .matchAll(/^#+ (.+)$/gm),
    ].map(([, heading]) => anchorOf(heading ?? ''));

  test.each(pages)('of %s lead to something', (page) => {
    for (const [, target = ''] of withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : relative(root, join(root, dirname(page), path));
      expect(existsSync(join(root, file)), target).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(file), target).toContain(anchor);
    }
  });

  test('the index of docs/ names every page, and leads there', () => {
    const index = read('docs/README.md');
    for (const page of readdirSync(join(root, 'docs')))
      if (page.endsWith('.md') && page !== 'README.md') expect(index).toContain(`](${page})`);
  });
});
