// A tool is one file and one line: in a copy of the sources, both are added for a tool that the service does not have, and the
// real command then checks it, prices it, rehearses it and documents it.
import { fork, spawn } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asJson, isObject, type JsonObject } from '../../src/base/json.ts';
import { type Ended, ended, ownEnvironment } from '../command.ts';
import { longTest } from '../sweep.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const tool = 'ai-postcard-maker';

const file = `// ai-postcard-maker: a picture with a greeting.
import { fieldOf } from '../../base/json.ts';
import { group, picture, text } from '../fields.ts';
import { eachFile, photoPath } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const aiPostcardMaker = listedTool({
  name: 'ai-postcard-maker',
  title: 'Write a greeting on a picture',
  record: 'image',
  type: 'AI_POSTCARD',
  medianSeconds: 6,
  description: 'Writes a greeting on a picture. 7 credits.',
  required: ['assets', 'style'],
  fields: {
    assets: group('The picture.', ['image_file_path'], {
      image_file_path: picture('The picture behind the greeting.'),
    }),
    style: group('The greeting.', ['greeting'], {
      greeting: text('The greeting: up to 40 characters.', { minLength: 1, maxLength: 40 }),
    }),
  },
  rules: [
    {
      says: 'style.greeting must contain lowercase letters.',
      check: (body) =>
        /[a-z]/.test(String(fieldOf(body, 'style.greeting') ?? 'a'))
          ? []
          : [{ field: 'style.greeting', message: 'the greeting shouts' }],
    },
  ],
  price: { kind: 'flat', credits: 7 },
  priceExamples: [{ of: 'a postcard', body: {} }],
  examples: [
    { assets: { image_file_path: 'asset:image' }, style: { greeting: 'Hello from the coast' } },
  ],
  starter: eachFile(
    'image',
    \`style: { greeting: Hello from the coast }
assets: { image_file_path: "\${photoPath}" }\`,
  ),
});
`;

/** A copy of the sources, with the packages of this folder. */
let copy: string;
/** A project with two photos. */
let project: string;

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'shotlist-tool-'));
  for (const path of ['src', 'schemas', 'package.json', 'docs/tools', 'docs/expressions.md'])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(join(copy, 'src/contract/tools/ai-postcard-maker.ts'), file);
  const all = join(copy, 'src/contract/tools/all.ts');
  const list = readFileSync(all, 'utf8');
  writeFileSync(
    all,
    list
      .replace('import {', "import { aiPostcardMaker } from './ai-postcard-maker.ts';\nimport {")
      .replace('readonly Tool[] = [\n', 'readonly Tool[] = [\n  aiPostcardMaker,\n'),
  );
  project = join(copy, 'project');
  cpSync(join(root, 'package.json'), join(project, 'package.json'));
  for (const [name, background] of [
    ['coast', '#27c'],
    ['hills', '#4a3'],
  ] as const)
    await sharp({ create: { width: 320, height: 200, channels: 3, background } })
      .png()
      .toFile(join(project, `${name}.png`));
  await printed(shotlist('init', '--tool', tool, '--name', 'cards'));
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

const run = (script: string, ...args: readonly string[]): Promise<Ended> =>
  ended(
    fork(join(copy, script), args, {
      ...{ cwd: project, env: ownEnvironment(), execArgv: [] },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    }),
  );

const pipelineText = (): string => readFileSync(join(project, 'cards.yaml'), 'utf8');

const shotlist = (...args: readonly string[]) => run('src/cli/main.ts', ...args);

async function printed(running: Promise<Ended>): Promise<string> {
  const { code, stdout, stderr } = await running;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** The objects that a command prints with --json, a line each. */
const objectsOf = (stdout: string): readonly JsonObject[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => asJson(JSON.parse(line)))
    .filter(isObject);

test('the entry has all that an entry needs, by its type', async () => {
  const config = join(copy, 'tsconfig.json');
  const include = ['src/contract/tools/all.ts'];
  const compilerOptions = { incremental: false };
  const all = { extends: join(root, 'tsconfig.json'), compilerOptions, include };
  writeFileSync(config, JSON.stringify(all));
  const tsc = spawn(join(root, 'node_modules/.bin/tsc'), ['-p', config], { cwd: copy });
  expect(await ended(tsc)).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('a request that breaks a rule of its own is refused with its place', async () => {
  expect(pipelineText()).toContain(`uses: ${tool}`);
  const text = pipelineText().replace('Hello from the coast', 'HELLO');
  writeFileSync(join(project, 'wrong.yaml'), text);
  const refused = await shotlist('validate', 'wrong.yaml', '--json');
  expect(refused.code).toBe(2);
  const line = text.split('\n').findIndex((one) => one.includes('HELLO')) + 1;
  const column = (text.split('\n')[line - 1] ?? '').indexOf('HELLO') + 1;
  expect(objectsOf(refused.stdout)).toMatchObject([
    { diagnostics: [{ code: 'SL401', file: 'wrong.yaml', span: { line, column } }] },
  ]);
});

test('its step, as init writes it, is valid, and a plan knows its price', async () => {
  const [plan] = objectsOf(await printed(shotlist('plan', 'cards.yaml', '--rehearse', '--json')));
  expect(plan).toMatchObject({ plan: { credits: 14, unpriced: 0 }, forecast: { ms: 6000 } });
});

longTest(
  'a rehearsal creates it, charges its price, and downloads a preview as large as its picture',
  async () => {
    const events = objectsOf(await printed(shotlist('run', 'cards.yaml', '--rehearse', '--json')));
    expect(events.at(-1)).toMatchObject({
      summary: { outcome: 'done', items: { done: 2 }, credits: { charged: 14 } },
    });
    const out = join(project, '.shotlist/rehearsal/cards/out');
    const saved = readdirSync(out, { recursive: true }).map(String);
    for (const name of ['coast.png', 'hills.png']) {
      const path = saved.find((one) => one.endsWith(name)) ?? '';
      const { format, width, height } = await sharp(join(out, path)).metadata();
      expect({ format, width, height }).toEqual({ format: 'png', width: 320, height: 200 });
      // A card with letters on it: a picture of one color has no entropy.
      const { entropy } = await sharp(join(out, path)).stats();
      expect(entropy).toBeGreaterThan(0.1);
    }
  },
);

test('the schemas, the pages and the catalogue have it', async () => {
  expect(await printed(shotlist('tools', tool))).toContain('7 credits per request.');
  await printed(run('schemas/generate.ts'));
  await printed(run('docs/tools/generate.ts'));
  const written = (path: string): string => readFileSync(join(copy, path), 'utf8');
  expect(written('schemas/pipeline.schema.json')).toContain(`"${tool}"`);
  expect(written('docs/tools.md')).toContain(`tools/${tool}.md`);
  expect(written(`docs/tools/${tool}.md`)).toContain('7 credits per request.');
});
