// A watch whose state file is pulled: each batch reads it again, so what others bought is not bought here.
import { readFileSync, renameSync } from 'node:fs';
import { expect, test } from 'vitest';
import { realClock } from '../../src/core/clock.ts';
import { bill, type Rig, service } from '../rig.ts';
import { atLine } from './at-line.ts';
import { drop, HandClock, WatchedRig } from './watched.ts';

const state = 'cut.state.jsonl';

/** Another checkout, which starts from this one and has bought one more photo. */
async function boughtElsewhere(rig: WatchedRig, name: string, number: number): Promise<Rig> {
  const other = new WatchedRig(rig.service);
  for (const known of rig.files('photos'))
    other.write(`photos/${known}`, readFileSync(rig.path(`photos/${known}`)));
  other.write(state, rig.read(state));
  await drop(other, `photos/${name}`, number);
  const { summary } = await other.run(rig.service, { items: { only: name } });
  expect(summary.outcome).toBe('done');
  return other;
}

/** As git does: another file takes the name. */
function pull(rig: WatchedRig, other: Rig): void {
  rig.write('pulled', other.read(state));
  renameSync(rig.path('pulled'), rig.path(state));
}

test('what was pulled between two batches is not bought again', async () => {
  const rig = new WatchedRig(await service());
  await drop(rig, 'photos/a.png', 1);
  const watching = rig.watch();
  await watching.ran(1);
  pull(rig, await boughtElsewhere(rig, 'b.png', 2));
  await drop(rig, 'photos/b.png', 2);
  await watching.ran(2);
  expect(await watching.stop()).toMatchObject({ credits: 5 });
  expect([...bill(rig.service.ledger()).values()]).toEqual([5, 5]);
});

test('a batch that had begun when the state file was pulled goes on, and buys only what nobody has', async () => {
  const rig = new WatchedRig(await service());
  const clock = new HandClock();
  await drop(rig, 'photos/a.png', 1);
  let other: Rig | undefined;
  const run = atLine('run', () => other !== undefined && pull(rig, other), 2);
  const watching = rig.watch({ clock }, { run, runClock: realClock });
  await clock.passUntil('it has run', () => watching.of('ran').length === 1);
  other = await boughtElsewhere(rig, 'b.png', 2);
  await drop(rig, 'photos/b.png', 2);
  await drop(rig, 'photos/c.png', 3);
  await clock.passUntil('it has run again', () => watching.of('ran').length === 2);
  expect(await watching.stop()).toMatchObject({ credits: 10 });
  expect([...bill(rig.service.ledger()).values()]).toEqual([5, 5, 5]);
});
