// A pipeline whose requests the user has paid for elsewhere: it gets the results, and nothing else. Where the recorded files
// are, somebody may have put links, pipes and other files since.
import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeNamedPipe } from '../named-pipe.ts';
import { envOf, photoPipeline, photoRig, type Rig, service } from '../rig.ts';
import { filesWith, privateText } from './repositories/clone.ts';

const photos = 2;

/** A project of the user's with its results, deleted at the service, and a clone that makes the same requests. */
async function paidElsewhere() {
  const server = await service();
  const own = await photoRig(photos);
  const told = await own.run(server);
  expect(told.summary.outcome).toBe('done');
  const clone = await photoRig(
    photos,
    photoPipeline.replace('pipeline: photos', 'pipeline: other'),
  );
  const secret = join(own.folder, 'secret');
  writeFileSync(secret, privateText);
  return { server, own, clone, secret };
}

const outputOf = ({ folder }: Rig): string => join(folder, 'out/p1.png');

type Swap = (output: string, secret: string) => void;

const swaps: readonly (readonly [string, Swap])[] = [
  ['a link to a private file', (output, secret) => symlinkSync(secret, output)],
  ['a private file', (output, secret) => writeFileSync(output, readFileSync(secret))],
  ['a private file of the same length', (output) => writeFileSync(output, privateText)],
  ['a named pipe', (output) => makeNamedPipe(output)],
  ['a link to itself', (output) => symlinkSync(output, output)],
];

function put(swap: Swap, output: string, secret: string): void {
  const { size } = statSync(output);
  rmSync(output);
  writeFileSync(secret, privateText.padEnd(size));
  swap(output, secret);
}

test('gets the results of requests that were paid for, and hears nothing of who paid', async () => {
  const { server, own, clone } = await paidElsewhere();
  const before = server.ledger().length;
  const ran = await clone.command(['run', clone.file, '--json'], envOf(server));
  expect(ran.code).toBe(0);
  const again = await clone.command(['run', clone.file, '--json'], envOf(server));
  const status = await clone.command(['status', clone.file, '--json'], envOf(server));
  expect([again.code, status.code, server.ledger().length]).toEqual([0, 0, before]);
  expect(readFileSync(outputOf(clone))).toEqual(readFileSync(outputOf(own)));
  expect(filesWith(clone.folder, own.folder)).toEqual([]);
  // The plan tells the user, and nobody else, who has paid.
  const told = /"paidAlready":\{[^}]*\}[^}]*\}/;
  expect(ran.stdout).toMatch(told);
  for (const { stdout, stderr } of [ran, again, status])
    expect(`${stdout.replace(told, '')}${stderr}`).not.toContain(own.folder);
});

test.each(swaps)(
  'gets nothing where %s stands in the place of a recorded file',
  async (_name, swap) => {
    const { server, own, clone, secret } = await paidElsewhere();
    const before = server.ledger().length;
    put(swap, outputOf(own), secret);
    const { summary } = await clone.run(server);
    expect([summary.credits.charged, server.ledger().length]).toEqual([0, before]);
    expect(clone.files('out')).toEqual(['p2.png']);
    expect(filesWith(clone.folder, privateText)).toEqual([]);
  },
);

test.each(swaps)(
  'gets nothing where %s comes there while the run copies it',
  async (_name, swap) => {
    const { server, own, clone, secret } = await paidElsewhere();
    const before = server.ledger().length;
    let swapped = false;
    const { summary } = await clone.run(
      server,
      {},
      {
        disk: (disk) =>
          new Proxy(disk, {
            get(real, name) {
              if (name === 'copy')
                return (...args: Parameters<typeof real.copy>) => {
                  if (!swapped) put(swap, args[0].path, secret);
                  swapped = true;
                  return real.copy(...args);
                };
              const value: unknown = Reflect.get(real, name);
              return typeof value === 'function' ? value.bind(real) : value;
            },
          }),
      },
    );
    expect([swapped, summary.credits.charged, server.ledger().length]).toEqual([true, 0, before]);
    expect(clone.files('out').length).toBe(1);
    expect(filesWith(clone.folder, privateText)).toEqual([]);
    expect(own.files('out').length).toBeGreaterThan(0);
  },
);
