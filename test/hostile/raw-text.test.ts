// Text that a terminal would obey (escapes, C1, line feeds, bidirectional marks), from every source that a run has: nothing
// of it comes out raw, on the terminal, in a log, in the state file or on the hub's pages.
import { describe, expect, test } from 'vitest';
import { printableJson } from '../../src/base/printable.ts';
import { photo, Rig, service } from '../rig.ts';
import { onePicture, type Sayings, strangeService } from './strange-service.ts';

/** As a name of a file may be: no slash, no zero. */
const wild = 'w\u001b[2J\u009b31m\u202e\u2066x\u2028\ufeff\u007f\r\n\u0007z';
/** What an id may hold. */
const wildId = 'p-\u202e\u2066\u200b\ufeffz';

/** By another way than base/printable.ts. Line feeds end lines. */
const unsafe =
  /(?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;

const key = 'sk-the-secret-key-4711';

interface Command {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs it, and looks at all that it prints. */
async function look(rig: Rig, { args, env = {} }: Command): Promise<string> {
  const { stdout, stderr } = await rig.command(args, env);
  expect(stdout).not.toMatch(unsafe);
  expect(stderr).not.toMatch(unsafe);
  expect(stderr).not.toContain('    at ');
  return stdout + stderr;
}

/** As text, and as JSON. */
async function lookTwice(rig: Rig, { args, env = {} }: Command): Promise<string> {
  const text = await look(rig, { args, env });
  return text + (await look(rig, { args: [...args, '--json'], env }));
}

function written(rig: Rig, ...files: readonly string[]): string {
  const text = files.map((file) => rig.read(file)).join('\n');
  expect(text).not.toMatch(unsafe);
  return text;
}

async function hosted(sayings: Sayings): Promise<Readonly<Record<string, string>>> {
  const { address } = await strangeService(sayings);
  return { SHOTLIST_BASE_URL: address, SHOTLIST_API_KEY: key };
}

describe('raw text in what the service says', () => {
  test('of a failure, a refusal, an account', async () => {
    const rig = new Rig(onePicture);
    const env = await hosted({
      account: ({ honest }) => ({ ...honest, tier: wild }),
      record: ({ honest }) => ({
        ...{ ...honest, status: 'error', downloads: [] },
        error: { code: wild, message: wild },
      }),
    });
    const args = ['run', 'pipeline.yaml', '--log', 'run.log'];
    expect(await look(rig, { args, env })).toContain('\\u{202e}');
    expect(written(rig, 'p.state.jsonl', 'run.log')).toContain('\\u202e');
    await lookTwice(rig, { args: ['status', 'pipeline.yaml'], env });
    await look(rig, { args: ['refresh', 'pipeline.yaml'], env });

    const refusing = new Rig(onePicture);
    const no = await hosted({ refusal: { status: 422, body: { message: wild, [wild]: wild } } });
    expect(await look(refusing, { args, env: no })).toContain('\\u{202e}');
    written(refusing, 'p.state.jsonl', 'run.log');
  });

  test('of an id, a name, a type, an address', async () => {
    const rig = new Rig(onePicture.replace('picture.png', 'picture'));
    const env = await hosted({
      creation: ({ honest }) => ({ ...honest, id: wildId, credits_charged: 25 }),
      record: ({ honest }) => ({
        ...{ ...honest, credits_charged: 30, name: wild, type: wild, [wild]: wild },
      }),
    });
    const args = ['run', 'pipeline.yaml', '--log', 'run.log'];
    expect(await look(rig, { args, env })).toContain('p-\\u{202e}');
    expect(written(rig, 'p.state.jsonl', 'run.log')).toContain('p-\\u202e');
    for (const command of ['status', 'audit', 'plan'])
      await lookTwice(rig, { args: [command, 'pipeline.yaml'], env });
    for (const project of [wild, wildId])
      await look(rig, { args: ['resolve', 'pipeline.yaml', project, '--abandon'], env });
  });

  test('of a project that somebody says was made', async () => {
    const rig = new Rig(onePicture);
    const env = await hosted({
      creation: () => '{"id":"..","credits_charged":10}',
      record: ({ honest }) => ({ ...honest, name: wild }),
    });
    const { code } = await rig.command(['run', 'pipeline.yaml'], env);
    expect(code).toBe(4);
    for (const project of [wildId, wild, '..'])
      await look(rig, {
        args: ['resolve', 'pipeline.yaml', 'draw', '--project', project],
        env,
      });
    written(rig, 'p.state.jsonl');
  });
});

describe('raw text in what a person gives', () => {
  test('as the names of files and items, and as a value of the environment', async () => {
    const pipeline = `pipeline: p
env: [MOOD]
items: { glob: "photos/*.png" }
output: out
steps:
  up: { uses: upload, with: { file: "\${{ item.path }}" } }
  draw:
    uses: ai-image-generator
    with: { name: "\${{ env.MOOD }} \${{ item.stem }}", model: flux-schnell, resolution: 640px, image_count: 1, style: { prompt: "\${{ env.MOOD }} \${{ item.stem }}" } }
  save: { uses: download, with: { of: draw, to: "picture.png" } }
`;
    const rig = new Rig(pipeline);
    rig.write(`photos/${wild}.png`, await photo(1));
    const env = { MOOD: wild };
    expect(await look(rig, { args: ['plan', 'pipeline.yaml'], env })).toContain('draw');
    const args = ['run', 'pipeline.yaml', '--log', 'run.log'];
    expect(await look(rig, { args, env })).toContain('Done.');
    const state = '.shotlist/rehearsal/p/state.jsonl';
    expect(written(rig, 'run.log', state)).toContain('\\u202e');
    for (const command of ['status', 'audit'])
      await look(rig, { args: [command, 'pipeline.yaml', '--rehearse'], env });
    await look(rig, { args: [...args, '--pay-again', `draw:${wild}.png`, '--yes'], env });
    await look(rig, { args: ['resolve', 'pipeline.yaml', `draw:${wild}.png`, '--abandon'], env });
    rig.write(state, rig.read(state).replace('"kind"', '"k\\u202eind"'));
    for (const command of ['status', 'repair'])
      await lookTwice(rig, { args: [command, 'pipeline.yaml', '--rehearse'], env });
  });

  test('as names in a pipeline that is not valid', async () => {
    const name = JSON.stringify(wild);
    const rig = new Rig(
      `pipeline: ${name}\nsteps:\n  ${name}: { uses: ${name}, with: { ${name}: 1 } }\n`,
    );
    for (const command of ['validate', 'plan'])
      await lookTwice(rig, { args: [command, 'pipeline.yaml'] });
  });

  test('on the command line and as settings', async () => {
    const rig = new Rig(onePicture);
    const commands: readonly Command[] = [
      { args: [wild] },
      { args: ['run', wild] },
      { args: ['run', 'pipeline.yaml', `--${wild}`] },
      { args: ['run', 'pipeline.yaml', '--budget', wild] },
      { args: ['run', 'pipeline.yaml', '--only', wild] },
      { args: ['run', 'pipeline.yaml', '--service', wild] },
      { args: ['run', 'pipeline.yaml', '--service', `https://h.example/${wild}`] },
      { args: ['run', 'pipeline.yaml', '--log', `${wild}/${wild}`] },
      { args: ['plan', 'pipeline.yaml', '--input', `${wild}=1`] },
      { args: ['plan', 'pipeline.yaml', '--state', wild] },
      { args: ['tools', wild] },
      { args: ['plan', 'pipeline.yaml'], env: { SHOTLIST_BASE_URL: wild } },
      { args: ['plan', 'pipeline.yaml'], env: { SHOTLIST_API_KEY: wild } },
      { args: ['plan', 'pipeline.yaml'], env: { SHOTLIST_API_KEY_FILE: wild } },
    ];
    for (const command of commands) await look(rig, command);
  });
});

test('raw text in names stands on no page of the hub', async () => {
  const local = await service();
  const rig = new Rig(
    onePicture.replace('{ model', `{ name: ${printableJson(JSON.stringify(wild))}, model`),
  );
  await rig.run(local);
  const pages = [
    '',
    '/projects',
    '/ledger',
    '/accounts',
    '/keys',
    '/webhooks',
    '/deliveries',
    '/faults',
  ];
  let shown = '';
  for (const path of pages) {
    const page = await fetch(`${local.hub}${path}`, { headers: { accept: 'text/html' } });
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(text).not.toMatch(unsafe);
    shown += text;
  }
  expect(shown).toContain('\\u{202e}');
});
