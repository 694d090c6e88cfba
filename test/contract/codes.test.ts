// Each code fires: fixtures/codes has a file with one mistake for each, and the golden file has the places.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { codeGroups, explanations } from '../../src/contract/codes.ts';
import type { Complaint } from '../../src/contract/yaml/diagnostic.ts';
import { plan } from '../../src/features/plan/plan.ts';
import { trust } from '../../src/features/trust/trust.ts';
import { validate } from '../../src/features/validate/validate.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { Refusal } from '../../src/language/load/refusal.ts';
import { parseFaults } from '../../src/service/faults/read.ts';
import { startService } from '../../src/service/start.ts';
import { watch } from '../../src/triggers/watch/watch.ts';
import { expectGolden } from '../golden.ts';
import { contentFor, photo } from '../photo.ts';

const fixtures = fileURLToPath(new URL('../fixtures/codes', import.meta.url));

/** The command that finds the mistake: `# NAME=value shotlist plan --items a.jpg` in the first line, else `validate`. */
interface Typed {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, string>>;
  readonly items: string | undefined;
  readonly profile: string | undefined;
}

function typedIn(text: string): Typed {
  const [, set = '', command = 'validate', flags = ''] =
    /^# ((?:\w+=\S+ )*)shotlist (\w+)(.*)/.exec(text) ?? [];
  const flag = (name: string): string | undefined =>
    new RegExp(`--${name} (\\S+)`).exec(flags)?.[1];
  const pairs = (written: string): Record<string, string> =>
    Object.fromEntries(
      [...written.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
    );
  return {
    command,
    env: pairs(set),
    inputs: pairs(flag('input') ?? ''),
    items: flag('items'),
    profile: flag('profile'),
  };
}

const media: Promise<readonly (readonly [string, string | Buffer])[]> = Promise.all([
  ['clip.mp4', 'a clip'],
  ...['photo.jpg', 'photos/anna.jpg', 'photos/ben.jpg'].map(
    async (name, index) => [name, await photo(index)] as const,
  ),
] as const);

/** A folder in a repository, with the files of a fixture and some media; the pipeline file in it. */
async function placed(code: string): Promise<string> {
  // Two levels, so that a path may lead out of the repository.
  const outside = mkdtempSync(join(tmpdir(), 'shotlist-code-'));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  const folder = join(outside, 'repository', 'pipelines');
  mkdirSync(join(outside, 'repository', '.git'), { recursive: true });
  mkdirSync(join(folder, 'photos'), { recursive: true });
  const put = (name: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  };
  for (const [name, content] of await media) put(name, content);
  if (code === 'SL523') put('people.csv', `name,photo\n${'Ann '.repeat(251_000)},ann.jpg\n`);
  const own = join(fixtures, code);
  if (!existsSync(own)) cpSync(`${own}.yaml`, join(folder, 'pipeline.yaml'));
  else
    for (const name of readdirSync(own, { recursive: true }).map(String))
      if (/\.\w+$/.test(name)) put(name, contentFor(name, readFileSync(join(own, name), 'utf8')));
  return join(folder, 'pipeline.yaml');
}

/** What the command says; `text`: of the file. */
async function complaints(code: string, file: string, text: string): Promise<readonly Complaint[]> {
  const { command, env, inputs, items, profile } = typedIn(text);
  if (command === 'serve') {
    const read = parseFaults(file, text);
    return read.ok ? [] : read.error;
  }
  if (command === 'validate') return (await validate(file, { inputs, env, profile })).warnings;
  const loaded = await loadPipeline(file, { inputs, env, profile });
  const state = { XDG_STATE_HOME: join(dirname(file), 'state') };
  switch (command) {
    case 'plan': {
      const account = { ...(await accountFor(code)), ...env };
      if (code === 'SL706') await trust(file, { env: { ...state, ...account } });
      await plan(loaded, {
        items: { only: items },
        rehearse: Object.keys(account).length === 0,
        env: { ...state, ...account },
      });
      break;
    }
    case 'watch':
      await watch(file, { run: { rehearse: true }, signal: AbortSignal.abort(), env });
      break;
    default:
      throw new Error(`the fixture names no command: ${command}`);
  }
  return loaded.warnings;
}

/** The plan of an account is known to its service alone. */
async function accountFor(code: string): Promise<Readonly<Record<string, string>>> {
  if (code !== 'SL603') return {};
  const service = await startService({ tier: 'free' });
  onTestFinished(() => service.close());
  return { SHOTLIST_BASE_URL: service.address, SHOTLIST_API_KEY: service.key };
}

function told({ code, severity, file, span }: Complaint): string {
  const place = span === undefined ? '' : `:${span.line}:${span.column}–${span.endColumn}`;
  return `${code} ${severity} ${file}${place}`;
}

test('a code is what its file gives, and nothing else', async () => {
  const lines: string[] = [];
  for (const code of explanations.keys()) {
    const file = await placed(code);
    const text = readFileSync(file, 'utf8');
    const found = await complaints(code, file, text).catch((error: unknown) => {
      if (error instanceof Refusal) return error.problem.diagnostics;
      throw new Error(`${code}: ${error}`);
    });
    // Several items may have the same mistake.
    expect([...new Set(found.map((one) => one.code))], code).toEqual([code]);
    lines.push(...found.map((one) => told(one).replace(`${dirname(file)}/`, '')));
  }
  expectGolden('codes.txt', `${lines.join('\n')}\n`);
});

test('a fixture is about a code', () => {
  const named = readdirSync(fixtures).map((name) => name.replace('.yaml', ''));
  expect(named.sort()).toEqual([...explanations.keys()]);
});

test('each group has hundreds of its own, and its codes are in order', () => {
  const numbers = [...explanations.keys()].map((code) => Number(/^SL(\d{3})$/.exec(code)?.[1]));
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  const hundreds = codeGroups.map(({ codes }) => new Set([...codes.keys()].map((code) => code[2])));
  expect(hundreds.map(({ size }) => size)).toEqual(hundreds.map(() => 1));
});

test.each([...explanations])('%s has a title, and says what to do', (_code, { title, remedy }) => {
  expect(title).toMatch(/^[A-Z`].*\S\.$/);
  expect(title.length).toBeLessThanOrEqual(80);
  expect(remedy).toMatch(/^[A-Z`][^.]*(\.[^ ][^.]*)*\S\.$/);
  // Outside of `code`, Markdown would read these as its own.
  expect(`${title} ${remedy}`.replace(/`[^`]*`/g, '')).not.toMatch(/[<*_`]/);
});
