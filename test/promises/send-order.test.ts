// Promises 1 and 2 as an order: what is on disk before a request is sent, before a project is used, before an event is answered, and
// before the user's own receipts say so. The golden file shows every step; the rules below hold whatever it says.
import { expect, test } from 'vitest';
import type { RunOptions } from '../../src/features/run/run.ts';
import type { FaultRule } from '../../src/service/faults/schema.ts';
import type { LocalService } from '../../src/service/start.ts';
import { expectGolden } from '../golden.ts';
import { bill, photoRig, service } from '../rig.ts';
import { textAt } from '../service/client.ts';
import { hub } from '../service/receiver.ts';
import { nobody } from '../service-api/server.ts';
import { type Trace, TracedRig } from './trace.ts';
import { eventsTo } from './wire.ts';

const creation = 'POST /v1/photo-colorizer';
const reading = 'GET /v1/image-projects/:id';

const pipeline = `pipeline: one
items: { glob: photos/*.png }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  colour:
    uses: photo-colorizer
    with: { name: "\${{ item.stem }}", assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
  save: { uses: download, with: { of: colour, to: "\${{ item.stem }}.png" } }
  tidy: { uses: delete, with: { of: colour } }
`;

/** The line that must be on disk before anybody outside can see what it says. */
const before: readonly (readonly [what: string, text: string, line: string])[] = [
  ['request', creation, 'intent colour:p1.png'],
  ['request', reading, 'created colour:p1.png'],
  ['request', 'GET /downloads/*', 'created colour:p1.png'],
  ['request', 'DELETE /v1/image-projects/:id', 'output save:p1.png'],
  ['event', 'image.started 204', 'created colour:p1.png'],
  ['receipt', 'intended', 'intent colour:p1.png'],
  ['receipt', 'doubt', 'doubt colour:p1.png'],
  ['receipt', 'created', 'created colour:p1.png'],
  ['receipt', 'complete', 'settled colour:p1.png'],
];

function expectDiskFirst({ steps }: Trace): void {
  for (const { what, text, durable } of steps)
    for (const [of, said, line] of before)
      if (what === of && text === said) expect(durable, `${what} ${text}`).toContain(line);
}

/** One photo; `faults` of the service. */
async function scene(...faults: readonly FaultRule[]): Promise<{
  readonly local: LocalService;
  readonly rig: TracedRig;
}> {
  const local = await service({ eventBackoffMs: 20, faults: { faults } });
  return { local, rig: await TracedRig.of(await photoRig(1, pipeline), local) };
}

/** The options of a run that listens. The one event that comes names the project. */
async function listeningTo({ address }: LocalService, rig: TracedRig): Promise<RunOptions> {
  const port = Number(new URL(await nobody()).port);
  const accepted = Promise.withResolvers<void>();
  const url = await eventsTo(port, (answer, isAccepted) => {
    if (!isAccepted) return;
    rig.trace.note('event', answer);
    accepted.resolve();
  });
  const webhook = { url: `${url}/in`, events: ['image.started'] };
  const webhookSecret = textAt(await hub(address, '/hub/webhooks', webhook), 'secret');
  // Else nobody knows which of the two comes first.
  const held = rig.wire.hold(reading);
  void accepted.promise.then(held.pass);
  return { listen: { host: '127.0.0.1', port }, webhookSecret };
}

const lostAnswer = { fault: 'reset', on: creation, when: 'after' } as const;

test('intent on disk, request, project on disk, receipt, and only then whatever uses the project, also where the answer is lost', async () => {
  const stories: string[] = [];
  const tell = (title: string, { trace }: TracedRig): void => {
    expectDiskFirst(trace);
    stories.push(`## ${title}\n\n${trace.text}\n`);
  };

  const one = await scene();
  await one.rig.run();
  tell('One photo', one.rig);

  const heard = await scene(lostAnswer);
  await heard.rig.run(await listeningTo(heard.local, heard.rig));
  tell('A lost answer, and an event that names the project', heard.rig);

  const silent = await scene(lostAnswer);
  for (let times = 0; times < 2; times += 1) await silent.rig.run();
  tell('A lost answer, no event, and the next run', silent.rig);

  for (const { local } of [one, heard, silent])
    expect([...bill(local.ledger()).values()]).toEqual([10]);
  expectGolden('send-order.txt', stories.join('\n'));
});
