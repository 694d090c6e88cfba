// The formats that people and programs read, as one small story leaves them: test/golden/formats. Ids, times, addresses
// and what a picture library decides are replaced; fingerprints are not.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expectGolden } from '../golden.ts';
import { envOf, Rig, service } from '../rig.ts';

/** Never made by a program: see fingerprints.test.ts. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** One item at a time, so that the order of events is known. */
const pipeline = `pipeline: story
limits: { items: 1 }
items: { glob: photos/*.png }
output: out
outputs: { store: store }
provenance: true
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  colour:
    uses: photo-colorizer
    needs: [faces]
    with: { name: "\${{ item.stem }}", assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
  save: { uses: download, with: { of: colour, to: "\${{ item.name }}" } }
  tidy: { uses: delete, if: "item.stem != 'b'", with: { of: colour } }
`;

/** Every id has a number, by its first appearance in this text. */
function normalized(text: string, rig: Rig, address: string): string {
  const numbers = new Map<string, number>();
  const numbered = (kind: string) => (id: string) => {
    if (!numbers.has(id)) numbers.set(id, numbers.size + 1);
    return `<${kind} ${numbers.get(id)}>`;
  };
  return text
    .replaceAll(rig.folder, '<folder>')
    .replaceAll(address, '<address>')
    .replace(/"run":( ?)"\d{4}-\d\d-\d\dT[\d:.]+Z-[0-9a-f]{4}"/g, '"run":$1"<run>"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, numbered('id'))
    .replace(/api-assets\/[0-9a-f]{24}\/[0-9a-f]+/g, numbered('asset'))
    .replace(/ #[0-9a-z]{10}"/g, ' #<token>"')
    .replace(/"(elapsedMs|bytes)":( ?)[\d.]+/g, '"$1":$2<number>')
    .replace(/"sha256":( ?)"[0-9a-f]{64}"/g, '"sha256":$1"<sha256>"')
    .replace(/\d{8}T\d{9}Z(-\d+-\d+-)[0-9a-f]{32}/g, '<time>$1<hash>')
    .replace(/"stored":"[0-9a-f]{16}"/g, '"stored":"<store>"');
}

test('plan, run, events, state file and provenance are as they were', async () => {
  const receipts = mkdtempSync(join(tmpdir(), 'shotlist-receipts-'));
  onTestFinished(() => rmSync(receipts, { recursive: true, force: true }));
  const rig = new Rig(pipeline);
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries())
    rig.write(`photos/${name}.png`, Buffer.concat([pixel, Buffer.from(`${index}`)]));
  rig.write('photos/e.png', Buffer.from(''));
  const local = await service({
    faults: {
      faults: [
        { fault: 'reset', on: 'POST /v1/photo-colorizer', when: 'after', skip: 2, count: 1 },
      ],
    },
  });
  const env = { ...envOf(local), SHOTLIST_RECEIPTS: receipts };
  const golden = (name: string, text: string): void =>
    expectGolden(`formats/${name}`, normalized(text, rig, local.address));
  const shotlist = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await rig.command(args, env);
    expect([0, 1, 4], stderr).toContain(code);
    return stdout;
  };
  golden('plan.json', await shotlist('plan', 'pipeline.yaml', '--json'));
  golden('events.jsonl', await shotlist('run', 'pipeline.yaml', '--json'));
  golden('story-state.jsonl', rig.read('story.state.jsonl'));
  golden('status.json', await shotlist('status', 'pipeline.yaml', '--json'));
  golden('provenance.json', rig.read('out/a.png.json'));
  await shotlist('reroll', 'pipeline.yaml', 'colour:b.png', '--yes');
  golden(
    'take-state.jsonl',
    rig
      .read('story.state.jsonl')
      .split('\n')
      .filter((line) => line.includes('"take"'))
      .map((line) => `${line}\n`)
      .join(''),
  );
});
