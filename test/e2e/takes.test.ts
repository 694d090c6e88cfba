// Takes: `reroll` pays for another one on purpose, once; `pick` chooses, and only then does anything downstream run again.
import { expect, test } from 'vitest';
import { envOf, photoRig, service } from '../rig.ts';

test('cli', async () => {
  const [rig, to] = [await photoRig(2), await service()];
  await rig.run(to);
  for (const args of [
    ['reroll', 'pipeline.yaml', 'swap:p1.png', '--dry-run'],
    ['reroll', 'pipeline.yaml', 'p1.png'],
    ['plan', 'pipeline.yaml'],
    ['status', 'pipeline.yaml'],
    ['pick', 'pipeline.yaml', 'swap:p1.png', '2'],
    ['run', 'pipeline.yaml'],
    ['pick', 'pipeline.yaml', 'swap:p1.png', '2'],
    ['plan', 'pipeline.yaml'],
    ['pick', 'pipeline.yaml', 'swap:p1.png', '1'],
    ['reroll', 'pipeline.yaml', 'swap:p3.png'],
    ['reroll', 'pipeline.yaml', 'save:p1.png'],
    ['reroll', 'pipeline.yaml', 'swap'],
    ['reroll', 'pipeline.yaml', 'p9.png'],
  ]) {
    const { code, stdout, stderr } = await rig.command(args, envOf(to));
    console.log(`$ ${args.join(' ')}\n${stdout}${stderr}[${code}]`);
  }
  console.log(rig.read('photos.state.jsonl'), rig.files('out'));
});
