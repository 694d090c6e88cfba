// In which order a run begins what it does: what is free first, items in their order, and what is paid is finished before more is
// bought. The golden file has every request and every line of four photos.
import { expect, test } from 'vitest';
import type { RunOptions } from '../../src/index.ts';
import { expectGolden } from '../golden.ts';
import { LineNews } from '../kit/news.ts';
import { type Cut, World } from '../kit/world.ts';

const pipeline = (limits: string): string => `pipeline: photos
items: { values: [{ key: a }, { key: b }, { key: c }, { key: d }] }
limits: ${limits}
steps:
  actor: { uses: upload, with: { file: actor.png } }
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  swap:
    uses: face-swap-photo
    with:
      assets:
        face_swap_mode: individual-faces
        target_file_path: \${{ steps.photo.file_path }}
        face_mappings: >-
          \${{ steps.faces.faces.map(f, {"original_face": f.path, "new_face": steps.actor.file_path}) }}
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}.png" } }
  tidy: { uses: delete, with: { of: swap } }
`;

const files = Object.fromEntries(
  ['actor', 'a', 'b', 'c', 'd'].map((name) => [`${name}.png`, `${name} faces=1`]),
);

/** A world, and what happens in it: neighbors of one kind share a line, and nothing is named twice in it. */
class Story {
  readonly world: World;
  readonly #told: [what: string, about: string[]][] = [];
  #lines = 0;
  readonly #news = new LineNews();

  constructor(limits: string) {
    this.world = new World(pipeline(limits), files);
    this.world.service.fails = ({ call, about }) => {
      this.#tellLines();
      this.#tell(call, about);
      return undefined;
    };
  }

  async run(options: RunOptions & { readonly cut?: Cut } = {}): Promise<void> {
    const { outcome } = await this.world.run(options);
    this.#tellLines();
    this.#tell('ends', outcome);
  }

  #tellLines(): void {
    for (const line of this.world.written.slice(this.#lines)) {
      for (const { what, task } of this.#news.of(line)) this.#tell(`  ${what}`, task);
    }
    this.#lines = this.world.written.length;
  }

  #tell(what: string, about: string): void {
    const last = this.#told.at(-1);
    if (last?.[0] !== what) this.#told.push([what, [about]]);
    else if (!last[1].includes(about)) last[1].push(about);
  }

  /** The place of the first step with this name and task. */
  #place(step: string): number {
    const [what, task = ''] = step.split(' ');
    return this.#told.findIndex(([name, about]) => name === what && about.includes(task));
  }

  /** What is paid is finished before more is bought. */
  expectOrder(...steps: readonly string[]): void {
    const places = steps.map((step) => this.#place(step));
    expect(places, steps.join(', ')).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
  }

  get text(): string {
    return this.#told.map(([what, about]) => `${what} ${about.join(' ')}`.trimEnd()).join('\n');
  }
}

test('four photos, by window, by the room that the account has, under a cap and after a kill', async () => {
  const stories: string[] = [];
  const tell = (title: string, { text }: Story): void =>
    void stories.push(`## ${title}\n\n${text}\n`);

  for (const items of [1, 4]) {
    const story = new Story(`{ items: ${items} }`);
    await story.run();
    if (items === 1) story.expectOrder('create swap:a', 'delete swap:a', 'create swap:b');
    else story.expectOrder('detect', 'create swap:a', 'download swap:a');
    tell(`A window of ${items}`, story);
  }

  const small = new Story('{ items: 4 }');
  // Three projects at once.
  small.world.service.account = { id: 'me', credits: 100_000, tier: 'creator' };
  small.world.service.renderMs = ({ task }) => (task === 'swap:b' ? 1000 : 3000);
  await small.run();
  small.expectOrder(
    'detect',
    'create swap:a',
    'download swap:b',
    'create swap:d',
    'download swap:a',
  );
  tell('A window of 4, and room for 3 projects: b is over first', small);

  const capped = new Story('{ items: 4 }');
  await capped.run({ budget: 20 });
  tell('A window of 4, and credits for 2', capped);

  const killed = new Story('{ items: 2 }');
  const created = 12;
  await killed.run({ cut: { line: created, when: 'after' } });
  await killed.run();
  killed.expectOrder('ends killed', 'download swap:a', 'delete swap:a', 'create swap:c');
  tell('A window of 2, killed when a and b are paid; and the next run', killed);

  expectGolden('starts.txt', stories.join('\n'));
});

test('a run that follows the projects of an earlier one begins no other before one of them is over', async () => {
  const world = new World(
    `pipeline: pictures
items: { values: [{ key: a }, { key: b }, { key: c }, { key: d }] }
steps:
  paint: { uses: ai-image-generator, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.key }}" } } }
`,
  );
  const { service } = world;
  // Three projects at once.
  service.account = { id: 'me', credits: 100_000, tier: 'creator' };
  service.renderMs = () => 300_000;
  await world.run({ cut: { line: 8, when: 'after' } });
  expect(service.projects.size).toBe(3);
  expect((await world.run()).outcome).toBe('done');
  const [first, last] = [service.projectOf('paint:a'), service.projectOf('paint:d')];
  expect(last.at - first.at).toBeGreaterThanOrEqual(300_000);
});
