// A renderer that crashes in the works, as a decoder does on a file that was made for it: the service lives, and the
// project finishes or is refunded.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { service, until } from '../../rig.ts';
import { Client } from '../../service/client.ts';
import { longTest } from '../../sweep.ts';

/** The rendering processes that this process has started and that run. */
function renderers(): readonly number[] {
  const children = readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' '),
  );
  return children
    .filter((child) => /^\d+$/.test(child))
    .filter((child) =>
      readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('/threads/process.ts'),
    )
    .map(Number);
}

/** 10 credits, and no libraries to load. */
const meme = { style: { topic: 'A boat', template: 'Random' } };

// Which processes are children is read from /proc.
describe.skipIf(process.platform !== 'linux')(
  'a crash of a renderer (skipped without /proc)',
  () => {
    test.each(['SIGSEGV', 'SIGKILL'] as const)(
      'by %s: the project is rendered again',
      async (signal) => {
        const local = await service({ pictures: 'real' });
        const client = new Client(local);
        const { id } = await client.create('ai-meme-generator', meme);
        await until('a renderer works', () => renderers().length > 0);
        for (const renderer of renderers()) process.kill(renderer, signal);
        const record = await client.settled('image', id);
        expect([record['status'], record['credits_charged']]).toEqual(['complete', 10]);
        expect(local.balance()).toBe(9990);
      },
    );

    longTest(
      'again and again: the project fails, is refunded, and the service goes on',
      async () => {
        const local = await service({ pictures: 'real' });
        const client = new Client(local);
        const { id } = await client.create('ai-meme-generator', meme);
        await until('the project is refunded', () => {
          for (const renderer of renderers()) process.kill(renderer, 'SIGSEGV');
          return local.balance() === 10_000;
        });
        expect(await client.settled('image', id)).toMatchObject({
          ...{ status: 'error', credits_charged: 0, error: { code: 'unknown_error' } },
        });
        const next = await client.create('ai-meme-generator', meme);
        expect((await client.settled('image', next.id))['status']).toBe('complete');
      },
    );
  },
);
