// The rendering processes: whatever happens in one, the service goes on, and says what became of the project.
import { describe, expect, onTestFinished, test } from 'vitest';
import { toolNamed } from '../../../src/contract/tools/all.ts';
import {
  type Renderer,
  RendererClosed,
  type RenderInput,
  type RenderRequest,
} from '../../../src/previews/base/request.ts';
import { openPool, type PoolOptions } from '../../../src/previews/threads/pool.ts';
import { Rig } from '../../rig.ts';
import { longTest } from '../../sweep.ts';

const script = new URL('./odd.ts', import.meta.url);

function pool(options: Omit<PoolOptions, 'script'> = {}): Renderer {
  const renderer = openPool({ script, processes: 1, ...options });
  onTestFinished(() => renderer.close());
  return renderer;
}

const input = (reference: string): RenderInput => ({
  ...{ field: 'assets.image_file_path', media: 'image', reference },
  ...{ file: undefined, face: undefined, faces: [] },
});

function asked(reference: string, folder = ''): RenderRequest {
  const tool = toolNamed('photo-colorizer');
  if (tool === undefined) throw new Error('bug: there is such a tool');
  return { tool, body: {}, inputs: [input(reference)], folder, seed: 1, most: 1080 };
}

describe('the pool of rendering processes', () => {
  longTest('one thread does one job after the other', async () => {
    const renderer = pool();
    const outcomes = await Promise.all([1, 2, 3].map(() => renderer.render(asked('anything'))));
    expect(outcomes).toEqual(
      ['1.png', '2.png', '3.png'].map((name) => ({ ok: true, value: [{ name }] })),
    );
  });

  test('a job that takes too long ends as a timeout, and the next one gets a new thread', async () => {
    const renderer = pool({ jobMs: 1500 });
    const [slow, next] = await Promise.all([
      renderer.render(asked('spin')),
      renderer.render(asked('anything')),
    ]);
    expect(slow).toMatchObject({ ok: false, error: { code: 'processing_timeout' } });
    expect(next).toEqual({ ok: true, value: [{ name: '1.png' }] });
  });

  longTest('a job that takes too much memory ends as a file that is too large', async () => {
    const renderer = pool({ heapMegabytes: 32 });
    const outcome = await renderer.render(asked('hoard'));
    expect(outcome).toMatchObject({ ok: false, error: { code: 'file_too_large' } });
    expect(await renderer.render(asked('anything'))).toMatchObject({ ok: true });
  });

  test.each([
    ['throw', 'thrown on purpose'],
    ['raise', 'raised on purpose'],
    ['leave', 'ended by itself with code 3'],
  ])('a bug in a thread (%s) is told, and the next job is done', async (reference, why) => {
    const renderer = pool();
    await expect(renderer.render(asked(reference))).rejects.toThrow(why);
    expect(await renderer.render(asked('anything'))).toMatchObject({ ok: true });
  });

  test('a job in whose works a native crash happened is done again', async () => {
    const renderer = pool();
    const folder = new Rig('').folder;
    expect(await renderer.render(asked('crash once', folder))).toMatchObject({ ok: true });
  });

  test('a job that crashes again is refused, and harms no other', async () => {
    const renderer = pool({ processes: 2 });
    const folder = new Rig('').folder;
    const [crash, ...others] = await Promise.all(
      ['crash', 'anything', 'crash once', 'anything'].map((name) =>
        renderer.render(asked(name, folder)),
      ),
    );
    expect(crash).toEqual({
      ok: false,
      error: {
        code: 'unknown_error',
        message: expect.stringMatching(/^The renderer crashed twice; /),
      },
    });
    for (const other of others) expect(other).toMatchObject({ ok: true });
  });

  longTest('the memory of a job that ended or crashed is there for the next', async () => {
    const renderer = pool({ processes: 2, decodeBytes: 150 });
    const outcomes = await Promise.all(
      ['hold memory', 'hold memory and crash', 'hold memory', 'hold memory'].map((name) =>
        renderer.render(asked(name)),
      ),
    );
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true, true]);
  });

  test('every face is told, in order, before the search is over', async () => {
    const told: string[] = [];
    const question = { input: input('two faces'), confidence: 0.5 };
    const answer = await pool().findFaces(question, async ({ name }) => {
      await new Promise(setImmediate);
      told.push(name);
    });
    expect(answer.ok).toBe(true);
    expect(told).toEqual(['0-0.png', '0-1.png']);
  });

  test('a face that cannot be kept is an error of the search', async () => {
    const question = { input: input('two faces'), confidence: 0.5 };
    const kept = pool().findFaces(question, () => Promise.reject(new Error('the disk is full')));
    await expect(kept).rejects.toThrow('the disk is full');
  });

  test('a search for faces is not made to wait behind renderings', async () => {
    const renderer = pool();
    const command: string[] = [];
    const renderings = [1, 2].map(async (number) => {
      await renderer.render(asked('anything'));
      command.push(`rendering ${number}`);
    });
    const question = { input: input('two faces'), confidence: 0.5 };
    const search = renderer.findFaces(question, async () => {}).then(() => command.push('search'));
    await Promise.all([...renderings, search]);
    expect(command).toEqual(['rendering 1', 'search', 'rendering 2']);
  });

  test('closing ends what is under way, what waits, and what is asked for later', async () => {
    const renderer = pool();
    const ended = ['never', 'anything'].map((name) =>
      expect(renderer.render(asked(name))).rejects.toThrow(RendererClosed),
    );
    await renderer.close();
    await Promise.all(ended);
    await expect(renderer.render(asked('anything'))).rejects.toThrow(RendererClosed);
  });
});
