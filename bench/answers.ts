// How soon the local service answers while it renders. Renderings are under way the whole time, photos and clips, and
// one client asks for one thing after the other.
import sharp from 'sharp';
import { Client, sample, textAt } from '../test/service/client.ts';
import { defineBench, shareOf, spreadIn } from './frame/bench.ts';
import { serve } from './local-service.ts';

const nearlyAll = 'p99 ms';

export const answers = defineBench({
  name: 'answers',
  description: 'How soon the local service answers one client while it renders photos and clips.',
  full: { renderings: 50, answers: 20_000, pairs: 3 },
  tiny: { renderings: 1, answers: 5, pairs: 1 },
  goals: [
    {
      what: `${nearlyAll} of an answer`,
      bound: { atMost: 20 },
      figure: spreadIn(nearlyAll),
      obstacle: 'The renderers are threads of the same process and compete for the same cores.',
    },
  ],
  async *run({ renderings, answers: count, pairs }) {
    for (let round = 1; round <= pairs; round++) {
      const { times, rendered } = await measureAnswers(renderings, count);
      const sorted = times.toSorted((a, b) => a - b);
      yield {
        ...{ round, answers: times.length, 'median ms': shareOf(sorted, 0.5) },
        ...{ [nearlyAll]: shareOf(sorted, 0.99), 'longest ms': shareOf(sorted, 1), rendered },
      };
    }
  },
});

interface Answers {
  /** Milliseconds of each answer, while all the renderings were under way. */
  readonly times: readonly number[];
  /** How many renderings ended meanwhile, each of which was followed by another. */
  readonly rendered: number;
}

/** So many renderings at a time, and so many answers. */
async function measureAnswers(renderings: number, count: number): Promise<Answers> {
  const served = await serve({ slots: renderings, credits: 100_000_000 });
  try {
    const client = new Client(served);
    const [target, source] = [await client.upload(sample(1)), await client.upload(sample(2))];
    const still = await client.upload(await sharp(sample(3)).resize(640).jpeg().toBuffer());
    const orders = [
      () => client.swap(target, source),
      async () =>
        (await client.create('photo-colorizer', { assets: { image_file_path: target } })).id,
      async () => {
        const body = {
          end_seconds: 1,
          model: 'ltx-2.3',
          resolution: '480p',
          assets: { image_file_path: still },
        };
        return (await client.create('image-to-video', body)).id;
      },
    ];
    let begun = 0;
    const order = async (): Promise<string> => (await orders[begun++ % orders.length]?.()) ?? '';
    const underWay = new Map<string, 'image' | 'video'>();
    const add = async (): Promise<void> => {
      const kind = begun % orders.length === 2 ? 'video' : 'image';
      underWay.set(await order(), kind);
    };
    for (let number = 0; number < renderings; number++) await add();

    const times: number[] = [];
    let rendered = 0;
    while (times.length < count) {
      for (const [id, kind] of [...underWay].slice(0, 8)) {
        const began = performance.now();
        const record = await client.record(kind, id);
        times.push(performance.now() - began);
        if (textAt(record, 'status') === 'error') throw new Error(JSON.stringify(record['error']));
        underWay.delete(id);
        if (textAt(record, 'status') !== 'complete') underWay.set(id, kind);
        else {
          rendered += 1;
          await add();
        }
      }
      const began = performance.now();
      await client.ask('GET', '/v1/account');
      times.push(performance.now() - began);
    }
    return { times, rendered };
  } finally {
    await served.stop();
  }
}
